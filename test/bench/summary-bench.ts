/**
 * How long a summary of a 5 MB session takes in a running process: `npm run bench:summary`. The first call also pays
 * for compiling the code that it runs, the median is of the last seven of fifteen; `cpu` is the time that the process itself used, whatever else the machine did.
 */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { maskDeep } from "../../src/redact/mask.ts";
import { createRedactor } from "../../src/redact/redact.ts";
import { summaryFormats } from "../../src/render/summary-formats.ts";
import { summarizeSession } from "../../src/shrink/summarize-session.ts";
import { libraryIn } from "../support/library-in.ts";
import { writeLog } from "./support/write-logs.ts";

const home = mkdtempSync(join(tmpdir(), "sessions-bench-"));
try {
  const path = join(home, ".claude/projects/-home-ana-shop/5b4de5a1-1111-4000-8000-000000000000.jsonl");
  writeLog(path, 5_000_000, 7, "/home/ana/shop", Date.UTC(2026, 0, 1));
  const library = libraryIn(home);
  const { redact } = createRedactor({ extra: [] });
  process.stdout.write(`${(statSync(path).size / 1e6).toFixed(1)} MB\n`);
  for (const format of summaryFormats) {
    const times = Array.from({ length: 15 }, () => {
      const wall = performance.now();
      const cpu = process.cpuUsage();
      const { text } = summarizeSession(library, [path], {
        format,
        continuation: false,
        branch: undefined,
        mask: (value) => maskDeep(value, redact),
      });
      const used = process.cpuUsage(cpu);
      return { wall: performance.now() - wall, cpu: (used.user + used.system) / 1000, chars: text.length };
    });
    const [first] = times;
    const median = times.slice(8).toSorted((a, b) => a.cpu - b.cpu)[3];
    const show = (time: (typeof times)[number] | undefined): string =>
      `${time?.wall.toFixed(0)} ms (cpu ${time?.cpu.toFixed(0)})`;
    process.stdout.write(
      `${format.padEnd(9)} first ${show(first)}, median ${show(median)}, ${first?.chars} characters\n`,
    );
  }
} finally {
  rmSync(home, { recursive: true, force: true });
}
