/** Measures time and memory of every command that reads or rewrites one session, over a log of 3 GB and a line of 190 MB. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { closeSync, mkdtempSync, openSync, readSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { LONG_CALL, writeLongLine } from "./support/huge-logs.ts";
import { writeLog } from "./support/write-logs.ts";

const MEBIBYTE = 1024 * 1024;
const bundle = fileURLToPath(new URL("../../dist/sessions.cjs", import.meta.url));
const loader = fileURLToPath(new URL("support/report-peak.cjs", import.meta.url));
const megabytes = Number(process.argv[2] ?? 3 * 1024);

const home = mkdtempSync(join(tmpdir(), "sessions-huge-"));
process.on("exit", () => rmSync(home, { recursive: true, force: true }));

const cwd = "/home/ana/shop";
const folder = join(home, ".claude", "projects", cwd.replaceAll("/", "-"));
const logs = [
  { name: `log of ${megabytes} MB`, id: "00000000-0000-4000-8000-0000000003b0" },
  { name: "line of 190 MB", id: "00000000-0000-4000-8000-0000000000be" },
] as const;
const pathOf = (id: string): string => join(folder, `${id}.jsonl`);
writeLog(pathOf(logs[0].id), megabytes * MEBIBYTE, 7, cwd, Date.UTC(2026, 0, 1));
writeLongLine(pathOf(logs[1].id), 190 * MEBIBYTE, 9, "text");

const rows: string[] = [];
run("all logs", ["index"]);
run("all logs", ["list"]);
for (const { name, id } of logs) {
  const before = sha256(pathOf(id));
  run(name, ["show", id]);
  run(name, ["archive", id]);
  for (const format of ["md", "html", "json"]) {
    run(name, ["export", id, "--format", format, "-o", join(home, `export-${id}.${format}`)]);
  }
  run(name, ["compact", id, "--dry-run"]);
  const call = id === logs[1].id ? LONG_CALL : firstBulkyCall(id);
  run(name, ["flatten", id]);
  run(name, ["retrieve", id, call, "-o", join(home, `block-${id}.txt`)]);
  run(name, ["unflatten", id]);
  const same = sha256(pathOf(id)) === before;
  rows.push(`${name.padEnd(18)} ${"the same bytes as at first".padEnd(28)} ${same ? "yes" : "NO"}`);
  console.log(rows.at(-1));
  if (!same) process.exitCode = 1;
}

function run(name: string, args: readonly string[]): void {
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, ["--require", loader, bundle, ...args], {
    env: { PATH: process.env.PATH ?? "", HOME: home, SESSIONS_GUARD: "off" },
    encoding: "utf8",
    maxBuffer: 1 << 28,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  const peak = Math.round(Number(/peak-kb (\d+)/.exec(stderr)?.[1] ?? 0) / 1024);
  const cpu = (Number(/cpu-ms (\d+)/.exec(stderr)?.[1] ?? 0) / 1000).toFixed(1);
  const words = args.filter((arg) => !arg.startsWith(home) && !/^0{8}|^toolu_|^-o$/.test(arg)).join(" ");
  const figures = `${seconds.padStart(7)} s ${cpu.padStart(7)} s of processor time ${String(peak).padStart(5)} MB`;
  rows.push(`${name.padEnd(18)} ${words.padEnd(28)} ${figures}`);
  console.log(rows.at(-1));
  if (status !== 0) {
    console.error(`${args.join(" ")} ended with ${status}: ${stderr.slice(-2000)}`);
    process.exit(1);
  }
}

/** The call whose result flatten moves first, as its own answer names it. */
function firstBulkyCall(id: string): string {
  const file = openSync(pathOf(id), "r");
  const bytes = new Uint8Array(64 * MEBIBYTE);
  const length = readSync(file, bytes);
  closeSync(file);
  const lines = new TextDecoder().decode(bytes.subarray(0, length)).split("\n");
  const found = lines.find((line) => line.includes('"tool_result"') && line.length > 20_000);
  return /"tool_use_id":"([^"]+)"/.exec(found ?? "")?.[1] ?? "";
}

function sha256(path: string): string {
  const hash = createHash("sha256");
  const file = openSync(path, "r");
  const block = new Uint8Array(4 * MEBIBYTE);
  for (let at = 0; at < statSync(path).size; ) {
    const length = readSync(file, block, 0, block.length, at);
    hash.update(block.subarray(0, length));
    at += length;
  }
  closeSync(file);
  return hash.digest("hex");
}
