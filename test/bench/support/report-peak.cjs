// Preloaded into a measured program: reports its peak memory in kilobytes and its processor time as its last output.
if (require("node:worker_threads").isMainThread) {
  process.on("exit", () => {
    const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
    process.stderr.write(`peak-kb ${maxRSS}\ncpu-ms ${Math.round((userCPUTime + systemCPUTime) / 1000)}\n`);
  });
}
