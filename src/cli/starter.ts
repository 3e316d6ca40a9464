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
import { readCode } from "../store/code-cache.ts";
import { nodeDisk } from "../store/node-disk.ts";
import { findPlaces } from "../store/places.ts";
import type { Program } from "./program.ts";

/** Put in by the build: the checksum of the program. */
declare const PROGRAM_SUM: string;

const url = pathToFileURL(__filename).href;
const file = join(__dirname, "program.cjs");
const [verb = "overview", noun = ""] = process.argv.slice(2).filter((word) => !word.startsWith("-"));
// What hooks have in common is the least of it.
const command = verb === "hook" ? `${verb}-${noun}` : verb;
const options = [...process.execArgv, process.env.NODE_OPTIONS ?? ""].join(" ").trim();
const name = {
  command,
  program: PROGRAM_SUM,
  // Code that was compiled under other flags is refused.
  engine: `${process.version}-${process.arch}${options === "" ? "" : `-${crc32(options).toString(16)}`}`,
};
const folder = process.env.INIT_CWD || process.cwd();
const places = findPlaces({ home: homedir(), variables: process.env, folder });
// Deno keeps code by itself.
const isKept = process.versions.deno === undefined;
const cachedData = isKept ? readCode(nodeDisk, places, name) : undefined;
// The program is plain ASCII: read so, it takes one byte per character.
const source = nodeDisk.readFile(file, Number.MAX_SAFE_INTEGER)?.toString("latin1") ?? "";
const script = new Script(source, { filename: file, ...(cachedData === undefined ? {} : { cachedData }) });
const program: Program = script.runInThisContext()(require, url, { exports: {} });
const isNew = isKept && (cachedData === undefined || script.cachedDataRejected === true);
void program.run(process, isNew ? { places, name, code: () => script.createCachedData() } : undefined);
