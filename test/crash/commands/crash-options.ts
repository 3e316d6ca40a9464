import fs from "node:fs";
import process from "node:process";
import { randomFrom } from "../kill-at-random.ts";

/** What `npm run test:crash -- …` asked for. It comes through the environment, because the tests run in workers. */
export interface CrashOptions {
  /** At every call; without it, at a sample of them. */
  readonly all: boolean;
  /** Of the sample; the same seed picks the same calls. */
  readonly seed: number;
  /** Only rows with exactly this name. */
  readonly only?: string;
  /** Only this call, from 0. */
  readonly at?: number;
  /** Only this way to die. */
  readonly way?: string;
}

export const OPTIONS_VARIABLE = "SESSIONS_CRASH";
export const REPORT_VARIABLE = "SESSIONS_CRASH_REPORT";
export const DEFAULT_SEED = 20_261;

export const crashOptions: CrashOptions = {
  all: false,
  seed: DEFAULT_SEED,
  ...JSON.parse(process.env[OPTIONS_VARIABLE] ?? "{}"),
};

/** Is this row to be tried in this way? */
export function isWanted(row: string, way: string): boolean {
  const { only, way: wanted } = crashOptions;
  return (only === undefined || only === row) && (wanted === undefined || wanted === way);
}

/**
 * The calls to die at, of so many: all, the one that was named, or one out of each of `wanted` equal parts, so that
 * no part of a command is left out.
 */
export function chooseCalls(row: string, way: string, calls: number, wanted: number): readonly number[] {
  const { all, at, seed } = crashOptions;
  // The calls are the same on both runtimes, and so is what they leave: a few show that nothing differs.
  const sample = "Deno" in globalThis ? Math.ceil(wanted / 10) : wanted;
  if (at !== undefined) return [at];
  if (all || calls <= sample) return Array.from({ length: calls }, (_, n) => n);
  const random = randomFrom(seed + hashOf(`${row} ${way}`));
  const part = calls / sample;
  return Array.from({ length: sample }, (_, n) => Math.floor((n + random()) * part));
}

function hashOf(text: string): number {
  return [...text].reduce((hash, letter) => (Math.imul(hash, 31) + (letter.codePointAt(0) ?? 0)) >>> 0, 7);
}

/** One line of the table that is printed at the end. */
export interface CrashCount {
  readonly row: string;
  readonly way: string;
  /** How often it really was killed, cut off or failed. */
  readonly deaths: number;
  /** How many calls there are to die at. */
  readonly calls: number;
  readonly failures: number;
}

/** Tells `npm run test:crash` what was done, where that asked. */
export function reportCount(count: CrashCount): void {
  const file = process.env[REPORT_VARIABLE];
  if (file !== undefined) fs.appendFileSync(file, `${JSON.stringify(count)}\n`);
}
