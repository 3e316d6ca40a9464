import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import { onTestFinished } from "vitest";

/** Is there a tmux to draw on? Tests say so aloud if there is none. */
export const hasTmux: boolean = spawnSync("tmux", ["-V"]).status === 0;

export interface PaneOptions {
  readonly columns: number;
  readonly rows: number;
  readonly folder: string;
  readonly variables: Readonly<Record<string, string>>;
}

/** A shell in a terminal of tmux, with a server of its own. */
export interface Pane {
  /** Types keys as `tmux send-keys` names them: `Enter`, `C-c`, `F1`. */
  keys(...names: readonly string[]): void;
  /** Types text as it is. */
  type(text: string): void;
  resize(columns: number, rows: number): void;
  screen(): string;
  /** Waits until the screen has this, and returns it. */
  waitFor(what: string | RegExp): Promise<string>;
  /** Runs a line in the shell, and returns what it printed. */
  shell(line: string): Promise<string>;
  /** What tmux knows of the terminal: is the other screen shown, the cursor visible, wrapping on, pasting marked? */
  flags(): Readonly<Record<"alternate" | "cursor" | "wrap", boolean>>;
  buffer(): string;
}

const WAIT_MS = 120_000;

/** Opens a terminal, and closes it after the test. */
export async function openPane({ columns, rows, folder, variables }: PaneOptions): Promise<Pane> {
  const place = mkdtempSync(join(tmpdir(), "sessions-tmux-"));
  const socket = join(place, "socket");
  const tmux = (...args: readonly string[]): string =>
    execFileSync("tmux", ["-S", socket, "-f", "/dev/null", ...args], {
      encoding: "utf8",
      env: { PATH: process.env.PATH, HOME: place, TERM: "xterm-256color", LANG: "C.UTF-8" },
      stdio: ["ignore", "pipe", "pipe"],
    });
  onTestFinished(() => {
    spawnSync("tmux", ["-S", socket, "kill-server"]);
    rmSync(place, { recursive: true, force: true });
  });
  const set = Object.entries({ PS1: "$ ", HISTFILE: "", LANG: "C.UTF-8", ...variables });
  // Deno hands its own variables on.
  const env = ["env", "-u", "INIT_CWD", ...set.map(([name, value]) => `${name}=${value}`)];
  const size = ["-x", String(columns), "-y", String(rows)];
  tmux(
    "-u",
    "new-session",
    "-d",
    "-s",
    "t",
    ...size,
    "-c",
    folder,
    ...env,
    "bash",
    "--norc",
    "--noprofile",
    "-i",
  );
  const screen = (): string => tmux("capture-pane", "-p", "-J", "-t", "t");
  let lines = 0;

  const pane: Pane = {
    keys: (...names) => void tmux("send-keys", "-t", "t", ...names),
    type: (text) => void tmux("send-keys", "-t", "t", "-l", text),
    resize: (x, y) => void tmux("resize-window", "-t", "t", "-x", String(x), "-y", String(y)),
    screen,
    async waitFor(what) {
      const from = Date.now();
      for (;;) {
        const shown = screen();
        if (typeof what === "string" ? shown.includes(what) : what.test(shown)) return shown;
        if (Date.now() - from > WAIT_MS) throw new Error(`${what} did not appear:\n${shown}`);
        await pause(40);
      }
    },
    async shell(line) {
      const mark = `end-${++lines}`;
      // The mark is put together by the shell, so that the typed line is not taken for it.
      pane.type(`clear; ${line}; echo "${mark.slice(0, 2)}""${mark.slice(2)}"`);
      pane.keys("Enter");
      const shown = await pane.waitFor(new RegExp(`^${mark}$`, "m"));
      return shown.slice(0, shown.indexOf(`\n${mark}`)).replace(/^.*echo "en""[^\n]*\n?/s, "");
    },
    flags() {
      const formats = "#{alternate_on} #{cursor_flag} #{wrap_flag}";
      const [alternate, cursor, wrap] = tmux("display-message", "-p", "-t", "t", formats).trim().split(" ");
      return { alternate: alternate === "1", cursor: cursor === "1", wrap: wrap === "1" };
    },
    buffer: () => tmux("show-buffer"),
  };
  await pane.waitFor("$ ");
  return pane;
}
