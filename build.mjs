/** Bundles the program into dist: the launcher sessions.cjs, the bundles that it picks from, and the library. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL(".", import.meta.url));
const dist = join(root, "dist");

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

// CommonJS, because only scripts can be given compiled code, and the loader of ES modules takes as long as a small command.
const program = {
  ...shared,
  format: "cjs",
  outExtension: { ".js": ".cjs" },
  alias: { "node:crypto": "./src/cli/bundles/late-crypto.ts", fzstd: "./src/cli/bundles/late-zstd.ts" },
  external: ["./zstd.cjs", "./opencode.cjs"],
  define: { "import.meta.dirname": "__dirname", "import.meta.filename": "__filename" },
  // `import()` becomes `require()`: a script that is given compiled code can't import.
  supported: { "dynamic-import": false },
};

/** The first that know `light-dark()`. */
const browsers = ["chrome123", "firefox120", "safari17.5"];

/** Only mcp.cjs has the MCP server, only serve.cjs that of the page, only pick.cjs the picker; other bundles take them from there. */
const apart = (name, filter, path, isShared = () => false) => ({
  name,
  setup({ onResolve }) {
    onResolve({ filter }, (file) => (isShared(file.path) ? undefined : { path, external: true }));
  },
});
const mcpApart = apart("mcp-apart", /\/mcp\/serve-mcp\.ts$/, "./mcp.cjs");
const pageApart = apart("page-apart", /\/(?:web\/server\/[a-z-]+|page-thread)\.ts$/, "./serve.cjs");
const pickApart = apart("pick-apart", /\/pick\/run-pick\.ts$/, "./pick.cjs");
/** Only remote.cjs, a second main bundle, has what reaches other machines. The launcher picks it for commands that do. */
const remoteApart = apart(
  "remote-apart",
  /\/remote\/[a-z0-9-]+\.ts$/,
  "./remote.cjs",
  (path) => path.endsWith("/commands/remote.ts") || path.endsWith("/remotes.ts"),
);

/** Bundles with the whole table of commands. */
const whole = {
  ...program,
  // yargs asks for it.
  define: { ...program.define, "import.meta.url": "importMetaUrl" },
  banner: { js: '"use strict";const importMetaUrl=require("node:url").pathToFileURL(__filename).href;' },
};

/** What reads opencode's databases is loaded when one has changed: no other command should load it for nothing. */
const opencodeLate = {
  name: "opencode-late",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\/write-logs\.ts$/ }, () => ({ path: "write-logs", namespace: "late" }));
    onLoad({ filter: /^write-logs$/, namespace: "late" }, () => ({
      contents: 'exports.writeLogs = (...args) => require("./opencode.cjs").writeLogs(...args);',
    }));
  },
};

const built = await Promise.all([
  build({
    ...program,
    entryPoints: { search: "src/cli/bundles/search.ts" },
    plugins: [pickApart, remoteApart, opencodeLate],
  }),
  build({
    ...whole,
    entryPoints: { main: "src/cli/bundles/main.ts" },
    plugins: [mcpApart, pageApart, pickApart, remoteApart, opencodeLate],
  }),
  build({
    ...whole,
    entryPoints: { remote: "src/cli/bundles/remote.ts" },
    alias: { fzstd: program.alias.fzstd },
    plugins: [mcpApart, pageApart, pickApart, opencodeLate],
  }),
  build({ ...program, alias: {}, entryPoints: { zstd: "fzstd" } }),
  build({ ...program, alias: {}, entryPoints: { opencode: "./src/agents/opencode/write-logs.ts" } }),
  build({
    ...program,
    entryPoints: { mcp: "src/cli/bundles/mcp.ts" },
    plugins: [pageApart, remoteApart, opencodeLate],
  }),
  build({
    ...program,
    entryPoints: { serve: "src/cli/bundles/serve.ts" },
    alias: {},
    plugins: [remoteApart, opencodeLate],
  }),
  build({
    ...program,
    entryPoints: { pick: "src/cli/bundles/pick.ts" },
    plugins: [pageApart, remoteApart, opencodeLate],
  }),
  // The page itself, which runs in a browser.
  build({
    ...shared,
    outdir: join(dist, "web"),
    platform: "browser",
    target: browsers,
    entryPoints: ["src/web/client/page.tsx", "src/web/client/page.css"],
    format: "iife",
    jsx: "automatic",
    jsxImportSource: "preact",
    define: { "process.env.NODE_ENV": '"production"' },
  }),
  // The page of an exported site, with the analysis of the index and MiniSearch.
  build({
    ...shared,
    outdir: join(dist, "web"),
    platform: "browser",
    target: browsers,
    entryPoints: ["src/site/client/site.ts", "src/site/client/site.css"],
    format: "iife",
    alias: { "node:buffer": "./src/site/client/browser-buffer.ts" },
  }),
  build({ ...shared, entryPoints: { index: "src/index.ts" }, format: "esm" }),
  // Last: whoever sees a new launcher sees its bundles.
  build({ ...program, entryPoints: { sessions: "src/cli/launcher.ts" } }),
]);

mkdirSync(join(dist, "web"), { recursive: true });
const copied = ["index.html", "icon.svg"].map((name) => ({
  path: join(dist, "web", name),
  contents: readFileSync(join(root, "src", "web", "client", name)),
}));
const files = [...built.flatMap(({ outputFiles }) => outputFiles), ...copied];
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
