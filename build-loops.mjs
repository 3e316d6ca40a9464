/**
 * Compiles the loops that are written in AssemblyScript (*.as) to WebAssembly, and puts the bytes into modules beside
 * them. Those are kept with the sources, so that the program runs from there as it is.
 */
import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import asc from "assemblyscript/asc";

const root = fileURLToPath(new URL(".", import.meta.url));

export const loops = [{ source: "src/core/search/loops/search-loops.as", name: "searchLoops" }];

/** The compiler knows no other ending. */
const ENTRY = "loops.ts";
/** No runtime, nothing that is collected: all memory is laid out by who calls. */
const options = ["--runtime", "stub", "--noAssert", "-O3", "--converge"];

/** The module that has the bytes of some loops. */
export async function compileLoops({ source, name }) {
  let binary;
  const { error, stderr } = await asc.main([ENTRY, "--outFile", "loops.wasm", ...options], {
    readFile: (path) => (path === ENTRY ? readFileSync(root + source, "utf8") : null),
    writeFile: (_, contents) => {
      binary = contents;
    },
    listFiles: () => [],
  });
  if (error !== null || binary === undefined) throw new Error(`${source}\n${stderr.toString()}`);
  return [
    `/** Made of ${source.slice(source.lastIndexOf("/") + 1)} by \`npm run build:loops\`. */`,
    `export const ${name}: string =`,
    `  "${Buffer.from(binary).toString("base64")}";`,
    "",
  ].join("\n");
}

export const placeOf = ({ source }) => `${root}${source.replace(/\.as$/, "-code.ts")}`;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const each of loops) writeFileSync(placeOf(each), await compileLoops(each));
}
