/** Exit codes and what they mean, for the pages that are made from the command table. */
export const exitCodeLines: readonly (readonly [string, string])[] = [
  ["0", "done, or the reader of the output stopped early"],
  ["1", "nothing found"],
  ["2", "wrong usage"],
  ["3", "done, but with problems"],
  ["4", "refused for safety: the session is live, held open or has just changed, or its archive is not durable"],
  ["5", "the store or a settings file is broken; nothing was changed"],
  ["70", "a bug in this program"],
  ["130", "interrupted"],
];
