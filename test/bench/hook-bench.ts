/**
 * What an agent waits for its hooks: each in a new process, with a store of its own, among 20 other sessions. Bare
 * `node -e 0` takes turns with them, because machines are noisy. What is left to the background is waited for between.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { claudeHookEvents } from "../../src/agents/claude/hooks.ts";
import { median } from "./support/measure.ts";
import { writeLog, writeSmallFiles } from "./support/write-logs.ts";

const RUNS = 5;
const program = fileURLToPath(new URL("../../dist/sessions.cjs", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "sessions-hooks-"));
const claude = join(folder, ".claude");

function time(argv: readonly string[], store: string, input: string): number {
  const start = performance.now();
  const { status } = spawnSync(process.execPath, argv, {
    input,
    env: { PATH: process.env.PATH, HOME: folder, SESSIONS_HOME: store },
  });
  const ms = performance.now() - start;
  if (status !== 0) throw new Error(`${argv.join(" ")} ended with ${String(status)}`);
  return ms;
}

/** Until nothing works on the store any more: what the hook started makes an index at its end. */
async function settle(store: string, isStarted: boolean): Promise<void> {
  const busy = (): boolean =>
    (isStarted && !existsSync(join(store, "index", "manifest"))) ||
    existsSync(join(store, "logs", "guard.lock")) ||
    existsSync(join(store, "lock"));
  for (let waitedMs = 0; busy() && waitedMs < 120_000; waitedMs += 50) await setTimeout(50);
}

try {
  writeSmallFiles(claude, 20, 3);
  for (const mb of [5, 30]) {
    const id = `00000000-0000-4000-8000-${String(mb).padStart(12, "0")}`;
    const log = join(claude, "projects", "-work-shop", `${id}.jsonl`);
    writeLog(log, mb * 1e6, mb, "/work/shop", Date.UTC(2026, 9, 1));
    for (const { name, subcommand } of claudeHookEvents) {
      const more = { source: "compact", trigger: "auto", compact_summary: "What was done. ".repeat(200) };
      const event = {
        session_id: id,
        transcript_path: log,
        cwd: "/work/shop",
        hook_event_name: name,
        ...more,
      };
      const pairs: { readonly bare: number; readonly hook: number }[] = [];
      for (let run = 0; run < RUNS; run++) {
        const store = join(folder, `store-${mb}-${subcommand}-${run}`);
        const bare = time(["-e", "0"], store, "");
        const hook = time([program, "hook", subcommand], store, JSON.stringify(event));
        pairs.push({ bare, hook });
        await settle(store, subcommand !== "pre-compact" || mb > 4);
        rmSync(store, { recursive: true, force: true });
      }
      const ms = median(pairs.map(({ hook }) => hook)).toFixed(0);
      const best = Math.min(...pairs.map(({ hook }) => hook)).toFixed(0);
      const ratio = median(pairs.map(({ hook, bare }) => hook / bare)).toFixed(1);
      console.log(
        `${subcommand.padEnd(14)} ${String(mb).padStart(3)} MB: median ${ms} ms, best ${best} ms, ${ratio} × node -e 0`,
      );
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
