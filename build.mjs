/**
 * Bundles the program into dist: program.cjs with everything, sessions.cjs which starts it, and index.js, its
 * face for other programs. What only some commands need is behind import() and evaluated late. Files are
 * put in place whole, so that a program that runs meanwhile never meets half of one.
 */
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const shared = {
  absWorkingDir: fileURLToPath(new URL(".", import.meta.url)),
  outdir: "dist",
  bundle: true,
  minify: true,
  platform: "node",
  target: "node20",
  mainFields: ["module", "main"],
  write: false,
};

/** Functions of the runtime that take time to load: their modules are loaded when one is called. */
const lateFunctions = {
  "node:crypto": ["createCipheriv", "createDecipheriv", "createHash", "randomBytes"],
  "node:v8": ["setFlagsFromString"],
};

const loadLate = {
  name: "load-late",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:(?:crypto|v8)$/ }, ({ path, namespace }) =>
      namespace === "late" ? { path, external: true } : { path, namespace: "late" },
    );
    onLoad({ filter: /.*/, namespace: "late" }, ({ path }) => ({
      contents: lateFunctions[path]
        .map((name) => `export const ${name} = (...args) => require("${path}").${name}(...args);`)
        .join("\n"),
    }));
  },
};

/** Not a module but a function, which the starter compiles: only so can the compiled code be kept. */
const program = await build({
  ...shared,
  entryPoints: { program: "src/cli/program.ts" },
  outExtension: { ".js": ".cjs" },
  format: "cjs",
  charset: "ascii",
  supported: { "dynamic-import": false },
  plugins: [loadLate],
  define: { "import.meta.url": "programUrl" },
  banner: { js: "(function (require, programUrl, module) {" },
  footer: { js: "return module.exports; })" },
});
const sum = createHash("sha256").update(program.outputFiles[0].contents).digest("hex").slice(0, 16);

const starter = await build({
  ...shared,
  entryPoints: { sessions: "src/cli/starter.ts" },
  outExtension: { ".js": ".cjs" },
  format: "cjs",
  define: { PROGRAM_SUM: JSON.stringify(sum) },
});

const face = await build({ ...shared, entryPoints: { index: "src/operations/index.ts" }, format: "esm" });

// The starter comes behind the program: it is for this very one.
for (const { path, contents } of [program, starter, face].flatMap(({ outputFiles }) => outputFiles)) {
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${dirname(path)}/.${basename(path)}.${process.pid}`;
  writeFileSync(temporary, contents);
  chmodSync(temporary, basename(path) === "sessions.cjs" ? 0o755 : 0o644);
  renameSync(temporary, path);
}
