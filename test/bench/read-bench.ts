/**
 * Reading against one thread's JSON.parse over the same lines, in one run, and the memory for one long log.
 *
 *   npm run bench:read                        a generated home of 200 MB, a log of 2 GB
 *   npm run bench:read -- --home DIR          logs of a real home instead
 *   npm run bench:read -- --log-mb 500        a shorter long log
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { buildSync } from "esbuild";
import type { SessionFiles } from "../../src/agents/agent.ts";
import { diskSource } from "../../src/agents/byte-source.ts";
import { findSessions } from "../../src/agents/find-sessions.ts";
import { readSession } from "../../src/agents/read-session.ts";
import { extractDigest } from "../../src/extract/extract-digest.ts";
import type { Library } from "../../src/fs/library.ts";
import { nodeDisk } from "../../src/fs/node-disk.ts";
import { splitLines } from "../../src/jsonl/lines.ts";
import { libraryIn } from "../support/library-in.ts";
import { writeHome, writeLog } from "./support/write-logs.ts";

const ROUNDS = 5;
const { values } = parseArgs({
  options: {
    home: { type: "string" },
    "log-mb": { type: "string", default: "2000" },
    child: { type: "string" },
  },
});
const source = diskSource(nodeDisk);

function sessionsOf(library: Library): readonly SessionFiles[] {
  return findSessions(library).sessions;
}

/** The floor: every line of every log parsed, and thrown away. */
function parseAll(sessions: readonly SessionFiles[]): number {
  let bytes = 0;
  for (const { files } of sessions) {
    for (const { path, role, size } of files) {
      if (role !== "main" && role !== "subagent") continue;
      bytes += size;
      for (const line of splitLines(source.chunks(path))) {
        try {
          JSON.parse(line.bytes.toString("utf8"));
        } catch {
          bytes += 0;
        }
      }
    }
  }
  return bytes;
}

function readAll(sessions: readonly SessionFiles[]): number {
  let turns = 0;
  for (const files of sessions) turns += readSession(source, files).turns.length;
  return turns;
}

function digestAll(sessions: readonly SessionFiles[]): number {
  let turns = 0;
  for (const files of sessions) turns += extractDigest(readSession(source, files)).turns;
  return turns;
}

function timed(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}

function compare(name: string, home: string): void {
  const sessions = sessionsOf(libraryIn(home));
  const bytes = parseAll(sessions);
  readAll(sessions);
  const rounds = Array.from({ length: ROUNDS }, () => ({
    parse: timed(() => parseAll(sessions)),
    read: timed(() => readAll(sessions)),
    digest: timed(() => digestAll(sessions)),
  }));
  const ratio = median(rounds.map((round) => round.read / round.parse));
  const withDigest = median(rounds.map((round) => round.digest / round.parse));
  const parse = median(rounds.map((round) => round.parse));
  const read = median(rounds.map((round) => round.read));
  console.log(
    `${name}: ${(bytes / 1e6).toFixed(0)} MB in ${sessions.length} sessions; JSON.parse ${parse.toFixed(0)} ms, ` +
      `reading ${read.toFixed(0)} ms, ratio ${ratio.toFixed(2)}; with the digest ${withDigest.toFixed(2)} (median of ${ROUNDS})`,
  );
}

function longLog(path: string): void {
  const stat = nodeDisk.stat(path);
  if (stat === undefined) throw new Error(`there is no ${path}`);
  const ms = timed(() => {
    const session = readSession(source, {
      agent: "claude",
      id: "x",
      files: [{ role: "main", path, ...stat }],
    });
    console.log(`  ${session.lines} lines, ${session.turns.length} turns`);
  });
  // In kilobytes, whatever the system.
  console.log(
    `  ${(stat.size / 1e6).toFixed(0)} MB read in ${(ms / 1000).toFixed(1)} s, peak ${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MB resident`,
  );
}

if (values.child !== undefined) longLog(values.child);
else {
  const folder = mkdtempSync(join(tmpdir(), "sessions-bench-"));
  try {
    if (values.home === undefined) {
      writeHome(join(folder, ".claude"), 200e6, 1);
      compare("generated", folder);
    } else compare("real", values.home);
    const log = join(folder, "00000000-0000-4000-8000-000000000001.jsonl");
    writeLog(log, Number(values["log-mb"]) * 1e6, 7, "/home/ana/shop", Date.UTC(2026, 0, 1));
    console.log("one long log, in a process of its own:");
    // Bundled as the program is: what runs the sources themselves takes memory of its own.
    const bundle = join(folder, "read-bench.mjs");
    buildSync({
      entryPoints: [fileURLToPath(import.meta.url)],
      outfile: bundle,
      bundle: true,
      platform: "node",
      format: "esm",
      external: ["esbuild"],
    });
    symlinkSync(fileURLToPath(new URL("../../node_modules", import.meta.url)), join(folder, "node_modules"));
    spawnSync(process.execPath, [bundle, "--child", log], { stdio: "inherit" });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
