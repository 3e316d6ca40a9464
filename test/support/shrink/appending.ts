import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import fs from "node:fs";
import process from "node:process";
import type { Disk } from "../../../src/fs/disk.ts";
import { planEdits, type RewritePlan } from "../../../src/jsonl/rewrite-plan.ts";
import { type Swapped, swapFile } from "../../../src/shrink/swap-file.ts";

/** A process that opens files every 5 ms, appends a numbered line and closes them. */
export interface Appender {
  /** Ends it; how many lines each file got. */
  end(): Promise<number>;
}

export async function startAppending(script: string, paths: readonly string[]): Promise<Appender> {
  const flags = process.versions.deno === undefined ? [] : ["run", "-A", "--no-config"];
  const child = spawn(process.execPath, [...flags, script, ...paths], { stdio: ["pipe", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (part) => {
    output += part;
  });
  await once(child.stdout, "data");
  return {
    async end() {
      child.stdin.end();
      await once(child, "close");
      return Number(output.trim().split("\n").at(-1));
    },
  };
}

/** The numbers in a file, in its order. */
export function numbersIn(path: string): readonly number[] {
  return [...fs.readFileSync(path, "utf8").matchAll(/^\{"type":"number","n":(\d+)\}$/gm)].map(([, n]) =>
    Number(n),
  );
}

export function upTo(count: number): readonly number[] {
  return Array.from({ length: count }, (_, n) => n);
}

export interface SwapOptions {
  readonly wait?: (ms: number) => Promise<void>;
  readonly isHeld?: () => boolean;
  readonly ifGrown?: RewritePlan["ifGrown"];
}

/** Replaces the first line by another, whatever follows. */
export function swapFirstLine(
  disk: Disk,
  path: string,
  rewrites: string,
  line: string,
  { wait = async () => {}, isHeld = () => false, ifGrown }: SwapOptions = {},
): Promise<Swapped> {
  const before = fs.readFileSync(path);
  const stat = disk.stat(path);
  if (stat === undefined) throw new Error("no file");
  const bytes = before.subarray(0, stat.size);
  const first = { from: 0, to: bytes.indexOf(0x0a), with: Buffer.from(line) };
  const plan = planEdits([first], bytes.length);
  return swapFile(disk, {
    path,
    expected: { ...stat, size: bytes.length },
    sha256: createHash("sha256").update(bytes).digest("hex"),
    plan: ifGrown === undefined ? plan : { ...plan, ifGrown },
    mtimeOf: ({ mtimeMs }) => mtimeMs,
    isHeld,
    rewrites,
    wait,
  });
}
