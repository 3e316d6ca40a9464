#!/usr/bin/env node
/*
 * What is started first, and all that the engine has to compile each time: it loads the program, which stands
 * beside it, together with the code that was compiled for the same command in an earlier run.
 */
import { homedir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { Script } from "node:vm";
import { crc32 } from "node:zlib";
import { exitCodes } from "../core/errors.ts";
import { readCode } from "../store/code-cache.ts";
import { nodeDisk } from "../store/node-disk.ts";
import { findPlaces } from "../store/places.ts";
import type { Program } from "./program.ts";

/** Put in by the build: the checksum of the program. */
declare const PROGRAM_SUM: string;

const file = join(__dirname, "program.cjs");
const command = process.argv.slice(2).find((word) => !word.startsWith("-")) ?? "overview";
// The program is plain ASCII: read so, it takes one byte per character.
const source = nodeDisk.readFile(file, Number.MAX_SAFE_INTEGER)?.toString("latin1");
if (source === undefined) refuse();
else void startProgram(source);

function startProgram(text: string): Promise<void> {
  // Deno keeps code by itself.
  const isKept = process.versions.deno === undefined;
  const places = findPlaces({
    home: homedir(),
    variables: process.env,
    folder: process.env.INIT_CWD || process.cwd(),
  });
  const name = { command, program: PROGRAM_SUM, engine: engineName() };
  const cachedData = isKept ? readCode(nodeDisk, places, name) : undefined;
  const script = new Script(text, { filename: file, ...(cachedData === undefined ? {} : { cachedData }) });
  const program: Program = script.runInThisContext()(require, pathToFileURL(__filename).href, {
    exports: {},
  });
  const isNew = isKept && (cachedData === undefined || script.cachedDataRejected === true);
  return program.run(process, isNew ? { places, name, code: () => script.createCachedData() } : undefined);
}

/** Code that was compiled under other flags is refused. */
function engineName(): string {
  const options = [...process.execArgv, process.env.NODE_OPTIONS ?? ""].join(" ").trim();
  return `${process.version}-${process.arch}${options === "" ? "" : `-${crc32(options).toString(16)}`}`;
}

function refuse(): void {
  process.stderr.write(
    `sessions: Cannot find ${JSON.stringify(file)}: a part of the program is missing\nhint: install it again\n`,
  );
  // A hook that fails would stop the agent that calls it.
  process.exitCode = command === "hook" ? exitCodes.done : exitCodes.broken;
}
