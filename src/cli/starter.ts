#!/usr/bin/env node
/*
 * What is started first, and all that the engine has to compile each time: it loads the program, which stands beside
 * it, together with the code that was compiled for the same command in an earlier run. The program comes in parts
 * (build.mjs), so that a search, which is to be there at once, loads only what it needs.
 */
import { homedir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { Script } from "node:vm";
import { crc32 } from "node:zlib";
import { exitCodes } from "../core/errors.ts";
import { readCode } from "../store/code-cache.ts";
import { compileHardly, compileLess } from "../store/compile-less.ts";
import { nodeDisk } from "../store/node-disk.ts";
import { findPlaces } from "../store/places.ts";
import { missingPart } from "./missing-part.ts";
import type { Compiled } from "./program.ts";

type Program = typeof import("./program.ts");
type Missing = typeof import("./missing-part.ts");

/** Put in by the build: the checksums of the program and of its parts. */
declare const PROGRAM_SUM: string;
declare const PART_SUMS: Readonly<Record<string, number>>;

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
if (command === "index") compileLess();
const compiled: Compiled[] = [];
const parts = new Map<string, Part>();
const text = readPart("program");
if (text === undefined) refuse();
else {
  parts.set("program", evaluate("program", text));
  void (load("program:src/cli/program.ts") as Program).run(process, compiled);
}

/** Gives its modules by their names. */
type Part = (name: string) => unknown;

/** Modules of the program are asked for as `part:name`, those of the runtime by their name, with or without `node:`. */
function load(path: string): unknown {
  const at = path.indexOf(":");
  if (at === -1 || path.startsWith("node:")) return process.getBuiltinModule(path);
  const part = path.slice(0, at);
  const loaded = parts.get(part) ?? loadPart(part);
  parts.set(part, loaded);
  return loaded(path.slice(at + 1));
}

function loadPart(part: string): Part {
  const text = readPart(part);
  if (text === undefined)
    throw (load("program:src/cli/missing-part.ts") as Missing).missingPart(fileOf(part));
  return evaluate(part, text);
}

function evaluate(part: string, text: string): Part {
  const file = fileOf(part);
  const name = { command, part, program: PROGRAM_SUM, engine: engineName() };
  const cachedData = isKept ? readCode(nodeDisk, places, name) : undefined;
  const script = new Script(text, { filename: file, ...(cachedData === undefined ? {} : { cachedData }) });
  if (isKept && (cachedData === undefined || script.cachedDataRejected === true))
    compiled.push({ places, name, code: () => script.createCachedData() });
  return script.runInThisContext()(load, pathToFileURL(__filename).href, { exports: {} });
}

/** undefined where it is not there, or another one: the program may be installed anew while this one runs. */
function readPart(part: string): string | undefined {
  const bytes = nodeDisk.readFile(fileOf(part), Number.MAX_SAFE_INTEGER);
  // It is plain ASCII: read so, it takes one byte per character.
  return bytes === undefined || crc32(bytes) !== PART_SUMS[part] ? undefined : bytes.toString("latin1");
}

function fileOf(part: string): string {
  return join(__dirname, `${part}.cjs`);
}

/** Code that was compiled under other flags is refused. */
function engineName(): string {
  const options = [...process.execArgv, process.env.NODE_OPTIONS ?? ""].join(" ").trim();
  return `${process.version}-${process.arch}${options === "" ? "" : `-${crc32(options).toString(16)}`}`;
}

function refuse(): void {
  const { message, hint } = missingPart(fileOf("program"));
  process.stderr.write(`sessions: ${message}\nhint: ${hint}\n`);
  // A hook that fails would stop the agent that calls it.
  process.exitCode = command === "hook" ? exitCodes.done : exitCodes.broken;
}
