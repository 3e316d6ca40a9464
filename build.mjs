/**
 * Bundles the program into dist: program.cjs with what a search needs, more.cjs with all else, sessions.cjs which
 * starts them, and index.js, its face for other programs. Files are put in place whole, so that a program that runs
 * meanwhile never meets half of one.
 */
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL(".", import.meta.url));

const shared = {
  absWorkingDir: root,
  outdir: "dist",
  bundle: true,
  minify: true,
  platform: "node",
  target: "node20",
  mainFields: ["module", "main"],
  write: false,
};

/**
 * Functions that most searches never call: what they need is loaded by the first call. Those of the runtime because its
 * modules take time to load, those of the program because all that is in program.cjs does.
 */
const lateFunctions = {
  "node:crypto": ["createCipheriv", "createDecipheriv", "createHash", "randomBytes"],
  "node:v8": ["setFlagsFromString"],
  "src/cli/print/index-progress.ts": ["indexProgress"],
  "src/core/query/parse-date.ts": ["parseDate"],
  "src/core/thread/session-builder.ts": ["createSessionBuilder"],
  "src/formats/claude/claude-parser.ts": ["createClaudeParser"],
  "src/formats/claude/sidecars.ts": ["readClaudeSidecar"],
  "src/formats/claw/claw-parser.ts": ["createClawParser"],
  "src/formats/codex/codex-parser.ts": ["createCodexParser"],
  "src/formats/pi/pi-parser.ts": ["createPiParser"],
  "src/store/archive/prove-session.ts": ["proveSession"],
  "src/store/archive/put-session.ts": ["putSession"],
  "src/store/index/index-writer.ts": ["createIndexWriter"],
  "src/store/lock.ts": ["acquireLock", "tryLock"],
  "src/store/memory-disk.ts": ["createMemoryDisk"],
  "src/store/replace-file.ts": ["replaceFile"],
};

/** In program.cjs from the beginning, though its source says that it is loaded when it is wanted. */
const wantedAtOnce = ["src/cli/commands/search.ts"];

const MODULE = /\.ts$/;

/** A module by its path from here, as parts of the program name it to each other. */
const nameOf = (path) => path.slice(root.length);

const lateModule = (name) =>
  lateFunctions[name].map(
    (each) => `export const ${each} = (...args) => require("late:${name}").${each}(...args);`,
  );

const loadLate = {
  name: "load-late",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path }) =>
      path in lateFunctions ? { path, namespace: "late" } : undefined,
    );
    onResolve({ filter: /^late:node:/ }, ({ path }) => ({
      path: path.slice("late:".length),
      external: true,
    }));
    onLoad({ filter: /.*/, namespace: "late" }, ({ path }) => ({
      contents: lateModule(path).join("\n"),
      resolveDir: root,
    }));
  },
};

/** In program.cjs: whatever is loaded when it is wanted, and functions that are called late, are in more.cjs. */
function leaveToMore(parts) {
  const external = (name) => {
    parts.add(name);
    return { path: `part:${name}`, external: true };
  };
  return {
    name: "leave-to-more",
    setup({ onResolve }) {
      onResolve({ filter: MODULE }, ({ kind, path, resolveDir }) => {
        const name = nameOf(resolve(resolveDir, path));
        if (kind === "dynamic-import") {
          return wantedAtOnce.includes(name) ? { path: `shared:${name}`, external: true } : external(name);
        }
        return name in lateFunctions ? { path: name, namespace: "late" } : undefined;
      });
      onResolve({ filter: /^late:src/ }, ({ path }) => external(path.slice("late:".length)));
    },
  };
}

/** In more.cjs: what program.cjs has is taken from there, so that there is one of everything. */
function takeFromProgram(names) {
  return {
    name: "take-from-program",
    setup({ onResolve }) {
      onResolve({ filter: MODULE }, ({ path, resolveDir }) => {
        const name = nameOf(resolve(resolveDir, path));
        return names.has(name) ? { path: `shared:${name}`, external: true } : undefined;
      });
    },
  };
}

/** Not a module but a function, which the starter compiles: only so can the compiled code be kept. */
function buildPart(name, contents, plugins) {
  return build({
    ...shared,
    stdin: { contents, resolveDir: root, sourcefile: `${name}.js` },
    outdir: undefined,
    outfile: `dist/${name}.cjs`,
    metafile: true,
    format: "cjs",
    charset: "ascii",
    supported: { "dynamic-import": false },
    plugins: [loadLate, ...plugins],
    define: { "import.meta.url": "programUrl" },
    banner: { js: "(function (require, programUrl, module) {" },
    footer: { js: "return module.exports; })" },
  });
}

const quote = JSON.stringify;

/** What each of these modules exports. */
async function exportsOf(names) {
  const { metafile } = await build({
    ...shared,
    bundle: false,
    entryPoints: names,
    outbase: ".",
    format: "esm",
    metafile: true,
  });
  return Object.values(metafile.outputs).map((output) => [output.entryPoint, output.exports]);
}

const start = [
  `export { missingPart, run } from "./src/cli/program.ts";`,
  ...wantedAtOnce.map((name) => `import ${quote(`./${name}`)};`),
].join("\n");
const parts = new Set();
const sketch = await buildPart("program", start, [leaveToMore(parts)]);
const own = Object.keys(sketch.metafile.inputs).filter(
  (name) => MODULE.test(name) && !name.startsWith("late:"),
);

/** program.cjs hands out its modules by name. */
const sharing = (await exportsOf(own)).map(([name, exported], i) => {
  const local = exported.map((each) => `${each} as ${each}_${i}`).join(", ");
  const object = exported.map((each) => `${each}: ${each}_${i}`).join(", ");
  return {
    take: `import { ${local} } from ${quote(`./${name}`)};`,
    give: `case ${quote(name)}: return { ${object} };`,
  };
});
const program = await buildPart(
  "program",
  [
    ...sharing.map(({ take }) => take),
    start,
    `export function share(name) { switch (name) { ${sharing.map(({ give }) => give).join("\n")} } }`,
  ].join("\n"),
  [leaveToMore(parts)],
);
const more = await buildPart(
  "more",
  `module.exports = { ${[...parts].map((name) => `${quote(name)}: () => require(${quote(`./${name}`)})`).join(",\n")} };`,
  [takeFromProgram(new Set(own))],
);

const sum = createHash("sha256");
for (const { outputFiles } of [program, more]) sum.update(outputFiles[0].contents);

const starter = await build({
  ...shared,
  entryPoints: { sessions: "src/cli/starter.ts" },
  outExtension: { ".js": ".cjs" },
  format: "cjs",
  define: { PROGRAM_SUM: quote(sum.digest("hex").slice(0, 16)) },
});

const face = await build({ ...shared, entryPoints: { index: "src/operations/index.ts" }, format: "esm" });

// The starter comes behind the program: it is for this very one.
for (const { path, contents } of [more, program, starter, face].flatMap(({ outputFiles }) => outputFiles)) {
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${dirname(path)}/.${basename(path)}.${process.pid}`;
  writeFileSync(temporary, contents);
  chmodSync(temporary, basename(path) === "sessions.cjs" ? 0o755 : 0o644);
  renameSync(temporary, path);
}
if (process.env.SIZES)
  for (const [k, v] of Object.entries(Object.values(sketch.metafile.outputs)[0].inputs).sort(
    (a, b) => b[1].bytesInOutput - a[1].bytesInOutput,
  ))
    console.log(v.bytesInOutput, k);
