/** The size of a terminal in characters. */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** Events on a terminal that a command has taken. */
export interface TerminalListener {
  /** Typed input, as the terminal sends it. */
  onInput(text: string): void;
  onResize(): void;
  /** The terminal is gone: there will be no more input. */
  onEnd(): void;
}

/** A terminal that one command has to itself: every key arrives at once, and the alternate screen is shown. */
export interface Terminal {
  size(): TerminalSize;
  write(text: string): void;
  /** Restores the terminal. Calling it twice has the same effect as once. */
  close(): void;
}

/** The alternate screen, bracketed paste, and no line wrapping. */
const ENTER = "\x1b[?1049h\x1b[?2004h\x1b[?7l";
const LEAVE = "\x1b[?7h\x1b[?2004l\x1b[0m\x1b[?25h\x1b[?1049l";

/** Signals that end the program, and their numbers; Ctrl-C comes as a key. */
const SIGNALS = [
  ["SIGHUP", 1],
  ["SIGTERM", 15],
] as const;

/**
 * Takes the terminal of a process; undefined if it has none. Draws on stderr, so that stdout can be the answer for
 * another program. However the process ends, except by SIGKILL, the terminal is restored.
 */
export function takeTerminal(host: NodeJS.Process, listener: TerminalListener): Terminal | undefined {
  const { stdin, stderr } = host;
  if (!stdin.isTTY || !stderr.isTTY) return undefined;
  let isOpen = true;
  const onData = (text: string): void => listener.onInput(text);
  const onEnd = (): void => listener.onEnd();
  // The stream notes its new size in its own listener, which may come after this one.
  const onResize = (): void => void setImmediate(() => isOpen && listener.onResize());
  const signals = SIGNALS.map(([name, number]) => {
    const end = (): void => {
      close();
      host.exit(128 + number);
    };
    return { name, end };
  });

  const close = (): void => {
    if (!isOpen) return;
    isOpen = false;
    stdin.off("data", onData).off("end", onEnd).off("error", onEnd);
    host.off("SIGWINCH", onResize).off("exit", close).off("uncaughtException", close);
    for (const { name, end } of signals) host.off(name, end);
    try {
      stderr.write(LEAVE);
      stdin.setRawMode(false);
    } catch {
      // The terminal is gone.
    }
    stdin.pause();
  };

  stdin.setRawMode(true);
  stdin.setEncoding("utf8").on("data", onData).on("end", onEnd).on("error", onEnd);
  host.on("SIGWINCH", onResize).on("exit", close);
  // Before the listener that reports the error: the report belongs on the screen that stays.
  host.prependListener("uncaughtException", close);
  for (const { name, end } of signals) host.on(name, end);
  stderr.write(ENTER);
  stdin.resume();
  return {
    size: () => ({ columns: stderr.columns || 80, rows: stderr.rows || 24 }),
    write: (text) => void stderr.write(text),
    close,
  };
}
