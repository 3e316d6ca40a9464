// Loaded into a program that is measured: its last word is the memory that it held at most, in kilobytes.
if (require("node:worker_threads").isMainThread) {
  process.on("exit", () => process.stderr.write(`peak-kb ${process.resourceUsage().maxRSS}\n`));
}
