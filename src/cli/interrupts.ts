/** Decides when a wish to end the program (Ctrl-C, a closed pipe) is granted. */
export interface Interrupts {
  /** Ends the program with this exit code: now, or as soon as nothing holds it. */
  request(exitCode: number): void;
  /** A request waits until `action` is over. */
  hold<T>(action: () => Promise<T>): Promise<T>;
  /** Requests are forgotten: a child has the terminal, and Ctrl-C is meant for it. */
  leaveTo<T>(child: () => Promise<T>): Promise<T>;
}

export function createInterrupts(exit: (exitCode: number) => void): Interrupts {
  let holds = 0;
  let children = 0;
  let waiting: number | undefined;
  return {
    request(exitCode) {
      if (children > 0) return;
      if (holds === 0) exit(exitCode);
      else waiting ??= exitCode;
    },
    async hold(action) {
      holds++;
      try {
        return await action();
      } finally {
        holds--;
        if (holds === 0 && waiting !== undefined) exit(waiting);
      }
    },
    async leaveTo(child) {
      children++;
      try {
        return await child();
      } finally {
        children--;
      }
    },
  };
}
