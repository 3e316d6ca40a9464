/**
 * Bundles the program into dist/sessions.js, and its face for other programs into dist/index.js. What
 * only some commands need is behind import() and evaluated late. Files are put in place whole, so that
 * a program that runs meanwhile never meets half of one.
 */
import { chmodSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL(".", import.meta.url));
const { outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: { sessions: "src/cli/main.ts", index: "src/operations/index.ts" },
  outdir: "dist",
  bundle: true,
  minify: true,
  platform: "node",
  format: "esm",
  target: "node20",
  mainFields: ["module", "main"],
  write: false,
  banner: {
    js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
  },
});
for (const { path, contents } of outputFiles) {
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${dirname(path)}/.${basename(path)}.${process.pid}`;
  writeFileSync(temporary, contents);
  chmodSync(temporary, basename(path) === "sessions.js" ? 0o755 : 0o644);
  renameSync(temporary, path);
}
