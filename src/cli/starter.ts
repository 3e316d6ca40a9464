#!/usr/bin/env node
/*
 * What is started first, and all that the engine has to compile each time: it loads the program, which stands
 * beside it in two parts, together with the code that was compiled for the same command in an earlier run. The
 * first part is what a search needs that finds nothing changed; the second is loaded by who needs more.
 */
import { homedir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { Script } from "node:vm";
import { crc32 } from "node:zlib";
import { exitCodes } from "../core/errors.ts";
import { once } from "../core/search/once.ts";
import { readCode } from "../store/code-cache.ts";
import { compileHardly } from "../store/compile-less.ts";
import { nodeDisk } from "../store/node-disk.ts";
import { findPlaces } from "../store/places.ts";
import { missingPart } from "./missing-part.ts";
import type { Compiled, Program } from "./program.ts";

/** Put in by the build: the checksum of the program. */
declare const PROGRAM_SUM: string;

const command = process.argv.slice(2).find((word) => !word.startsWith("-")) ?? "overview";
// Deno keeps code by itself.
const isKept = process.versions.deno === undefined;
const places = findPlaces({
  home: homedir(),
  variables: process.env,
  folder: process.env.INIT_CWD || process.cwd(),
});
// Before anything is compiled: kept code is for the flags that it was made under.
if (command === "search") compileHardly();
const compiled: Compiled[] = [];
const program: Program | undefined = loadPart("program");
const more = once((): Parts => {
  const parts: Parts | undefined = loadPart("more");
  if (parts === undefined) throw program?.missingPart(partFile("more"));
  return parts;
});
if (program === undefined) refuse();
else void program.run(process, compiled);

/** The modules of the second part by their names, each evaluated when it is asked for. */
type Parts = Readonly<Record<string, () => unknown>>;

/** Evaluates a part of the program; undefined where its file is missing. */
function loadPart<T>(part: string): T | undefined {
  const file = partFile(part);
  // It is plain ASCII: read so, it takes one byte per character.
  const text = nodeDisk.readFile(file, Number.MAX_SAFE_INTEGER)?.toString("latin1");
  if (text === undefined) return undefined;
  const name = { command, part, program: PROGRAM_SUM, engine: engineName() };
  const cachedData = isKept ? readCode(nodeDisk, places, name) : undefined;
  const script = new Script(text, { filename: file, ...(cachedData === undefined ? {} : { cachedData }) });
  if (isKept && (cachedData === undefined || script.cachedDataRejected === true))
    compiled.push({ places, name, code: () => script.createCachedData() });
  return script.runInThisContext()(load, pathToFileURL(__filename).href, { exports: {} });
}

/** Gives modules of the runtime, and those that the parts of the program have of each other. */
function load(name: string): unknown {
  if (name.startsWith("shared:")) return program?.share(name.slice("shared:".length));
  return name.startsWith("part:") ? more()[name.slice("part:".length)]?.() : require(name);
}

function partFile(part: string): string {
  return join(__dirname, `${part}.cjs`);
}

/** Code that was compiled under other flags is refused. */
function engineName(): string {
  const options = [...process.execArgv, process.env.NODE_OPTIONS ?? ""].join(" ").trim();
  return `${process.version}-${process.arch}${options === "" ? "" : `-${crc32(options).toString(16)}`}`;
}

function refuse(): void {
  const { message, hint } = missingPart(partFile("program"));
  process.stderr.write(`sessions: ${message}\nhint: ${hint}\n`);
  // A hook that fails would stop the agent that calls it.
  process.exitCode = command === "hook" ? exitCodes.done : exitCodes.broken;
}
