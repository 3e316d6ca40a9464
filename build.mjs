/** Bundles the program into dist: the launcher sessions.cjs, the bundles that it picks from, and the library. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import { build } from "esbuild";

const root = import.meta.dirname;
const dist = join(root, "dist");
const bundleFile = (name) => `./src/cli/bundles/${name}.ts`;

/** What only one bundle has: the others take these imports from there. */
const apart = {
  mcp: /\/mcp\/serve-mcp\.ts$/,
  serve: /\/(?:web\/server\/[a-z-]+|page-thread)\.ts$/,
  pick: /\/pick\/run-pick\.ts$/,
  // What reaches other machines; the launcher picks remote.cjs for commands that do.
  remote: /\/remote\/[a-z0-9-]+\.ts$/,
  // The same without the search of a team, which servers answer themselves.
  sync: /\/remote\/[a-z0-9-]+\.ts$/,
  opencode: /\/write-logs\.ts$/,
};
/** Of `remote`: the command that changes the list of remotes, and the list. */
const everywhere = /\/(?:commands\/remote|remotes)\.ts$/;
const searchOfTeam = /\/search-team\.ts$/;
const lateOpencode = { path: join(root, "src/cli/bundles/late-opencode.cjs") };

const without = (...names) =>
  names.map((name) => {
    const file = name === "sync" ? "remote" : name;
    const there = name === "opencode" ? lateOpencode : { path: `./${file}.cjs`, external: true };
    const isHere = (path) => everywhere.test(path) || (name === "sync" && searchOfTeam.test(path));
    const resolve = ({ path }) => (isHere(path) ? undefined : there);
    return { name, setup: ({ onResolve }) => onResolve({ filter: apart[name] }, resolve) };
  });

const shared = {
  absWorkingDir: root,
  outdir: dist,
  bundle: true,
  minify: true,
  platform: "node",
  target: "node20",
  mainFields: ["module", "main"],
  write: false,
};

const lateZstd = { fzstd: bundleFile("late-zstd") };

// CommonJS, because only scripts can be given compiled code, and the loader of ES modules takes as long as a small command.
const program = {
  ...shared,
  format: "cjs",
  outExtension: { ".js": ".cjs" },
  alias: { "node:crypto": bundleFile("late-crypto"), ...lateZstd },
  external: ["./zstd.cjs", "./opencode.cjs"],
  define: { "import.meta.dirname": "__dirname", "import.meta.filename": "__filename" },
  // `import()` becomes `require()`: a script that is given compiled code can't import.
  supported: { "dynamic-import": false },
};

/** A bundle with the whole table of commands. yargs needs `import.meta.url`. */
const whole = {
  ...program,
  entry: bundleFile("main"),
  define: { ...program.define, "import.meta.url": "importMetaUrl" },
  banner: { js: '"use strict";const importMetaUrl=require("node:url").pathToFileURL(__filename).href;' },
};

const browser = {
  ...shared,
  outdir: join(dist, "web"),
  platform: "browser",
  // The first that know `light-dark()`.
  target: ["chrome123", "firefox120", "safari17.5"],
  format: "iife",
  jsx: "automatic",
  jsxImportSource: "preact",
};

/** The entry of a bundle is the file of its name, unless the row says otherwise. */
const bundles = {
  search: { ...program, plugins: without("pick", "remote", "opencode") },
  main: { ...whole, plugins: without("mcp", "serve", "pick", "remote", "opencode") },
  remote: { ...whole, alias: lateZstd, plugins: without("mcp", "serve", "pick", "opencode") },
  mcp: { ...program, plugins: without("serve", "sync", "opencode") },
  serve: { ...program, alias: {}, plugins: without("sync", "opencode") },
  pick: { ...program, plugins: without("serve", "remote", "opencode") },
  zstd: { ...program, alias: {}, entry: "fzstd" },
  opencode: { ...program, alias: {}, entry: "./src/agents/opencode/write-logs.ts" },
  // What runs in a browser: the page of `serve`, and that of an exported site with the analysis of the index.
  page: { ...browser, entryPoints: ["src/web/client/page.tsx", "src/web/client/page.css"] },
  site: {
    ...browser,
    entryPoints: ["src/site/client/site.ts", "src/site/client/site.css"],
    alias: { "node:buffer": "./src/site/client/browser-buffer.ts" },
  },
  index: { ...shared, entry: "src/index.ts", format: "esm" },
  // Last: whoever sees a new launcher sees its bundles.
  sessions: { ...program, entry: "src/cli/launcher.ts" },
};
const built = await Promise.all(
  Object.entries(bundles).map(([name, { entry = bundleFile(name), ...options }]) =>
    build({ entryPoints: { [name]: entry }, ...options }),
  ),
);

mkdirSync(join(dist, "web"), { recursive: true });
const copied = (name) => ({
  path: join(dist, "web", name),
  contents: readFileSync(join(root, "src/web/client", name)),
});
const files = [...built.flatMap(({ outputFiles }) => outputFiles), copied("index.html"), copied("icon.svg")];
// Each file is put in place whole, so that a program that runs meanwhile never meets half of one.
for (const { path, contents } of files) {
  const temporary = join(dirname(path), `.${basename(path)}.${process.pid}`);
  writeFileSync(temporary, contents);
  chmodSync(temporary, basename(path) === "sessions.cjs" ? 0o755 : 0o644);
  renameSync(temporary, path);
}

// What an earlier version of this script made is not to be published.
const made = new Set(files.map(({ path }) => basename(path)));
for (const name of readdirSync(dist)) if (/\.c?js$/.test(name) && !made.has(name)) rmSync(join(dist, name));
