/**
 * Compiles the loops that are written in AssemblyScript (*.as) to WebAssembly, and from that to JavaScript, for where no
 * WebAssembly runs. Both are kept in modules beside the source, so that the program runs from there as it is.
 */
import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import asc from "assemblyscript/asc";
import binaryen from "assemblyscript/binaryen";
import { transform } from "esbuild";

const root = fileURLToPath(new URL(".", import.meta.url));

const sources = ["src/search/ranking/loops/search-loops.as"];

/** The compiler knows no other ending. */
const ENTRY = "loops.ts";
/** No runtime, nothing that is collected: all memory is laid out by who calls. */
const options = ["--runtime", "stub", "--noAssert", "-O3", "--converge"];

async function compile(source) {
  let binary;
  const { error, stderr } = await asc.main([ENTRY, "--outFile", "loops.wasm", ...options], {
    readFile: (path) => (path === ENTRY ? readFileSync(root + source, "utf8") : null),
    writeFile: (_, contents) => {
      binary = contents;
    },
    listFiles: () => [],
  });
  if (error !== null || binary === undefined) throw new Error(`${source}\n${stderr.toString()}`);
  return binary;
}

/** The same as a function that gives what an instance of WebAssembly exports. */
async function translate(binary) {
  const module = binaryen.readBinary(binary);
  module.setFeatures(binaryen.Features.All);
  const script = module.emitAsmjs();
  module.dispose();
  // Behind the function stands what would make it a module.
  const body = script.slice(0, script.indexOf("var retasmFunc"));
  const { code } = await transform(`export function createPlainLoops() {${body}return asmFunc({});}`, {
    minify: true,
    lineLimit: 100,
  });
  return code.trimEnd().replace("createPlainLoops()", "createPlainLoops(): object ");
}

/** The modules that are made of each source, as path and text. */
export async function compileLoops() {
  const made = [];
  for (const source of sources) {
    const binary = await compile(source);
    const lines = Buffer.from(binary)
      .toString("base64")
      .match(/.{1,100}/g)
      .map((line) => `  "${line}"`);
    const head = `Made of ${source.slice(source.lastIndexOf("/") + 1)} by \`npm run build:loops\`.`;
    const path = `${root}${source.replace(/\.as$/, "")}`;
    made.push([
      `${path}-bytes.ts`,
      `/** ${head} */\nexport const loopBytes: string =\n${lines.join(" +\n")};\n`,
    ]);
    made.push([`${path}-plain.ts`, `// @ts-nocheck: ${head}\n${await translate(binary)}\n`]);
  }
  return made;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [path, text] of await compileLoops()) writeFileSync(path, text);
}
