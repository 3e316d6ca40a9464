/**
 * Bundles the program into dist: its parts, sessions.cjs which starts it, and index.js, its face for other programs.
 * Files are put in place whole, so that a program that runs meanwhile never meets half of one.
 */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { crc32 } from "node:zlib";
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
 * modules take time to load, those of the program because all that is in the parts of a search does.
 */
const lateFunctions = {
  "node:crypto": ["createCipheriv", "createDecipheriv", "createHash", "randomBytes"],
  "node:v8": ["setFlagsFromString"],
  "src/cli/print/index-progress.ts": ["indexProgress"],
  "src/core/search/loops/search-loops-plain.ts": ["createPlainLoops"],
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

const MODULE = /\.ts$/;
const quote = JSON.stringify;

/** A module by its path from here, as parts of the program name it to each other. */
const nameOf = (path) => path.slice(root.length);

/** A module in place of another, whose functions load that one. */
const lateModule = (name) => {
  const path = quote(name.startsWith("node:") ? name : `./${name}`);
  return lateFunctions[name].map(
    (each) => `export const ${each} = (...args) => require(${path}).${each}(...args);`,
  );
};

/**
 * Modules of the runtime that are imported whole: taken as they are. Else each of their hundred properties is wrapped,
 * in every file of the bundle that imports one.
 */
const takenWhole = {
  name: "taken-whole",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:(?:fs|process)$/ }, ({ path, namespace, importer }) => {
      if (namespace === "whole") return { path, external: true };
      return importer.startsWith(`${root}src/`) ? { path, namespace: "whole" } : undefined;
    });
    onLoad({ filter: /.*/, namespace: "whole" }, ({ path }) => ({
      contents: `export default require(${quote(path)});`,
    }));
  },
};

const loadLate = {
  name: "load-late",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path, namespace }) =>
      namespace !== "late" && path in lateFunctions ? { path, namespace: "late" } : undefined,
    );
    onLoad({ filter: /.*/, namespace: "late" }, ({ path }) => ({
      contents: lateModule(path).join("\n"),
      resolveDir: root,
    }));
  },
};

/**
 * The parts of the program, each loaded when something of it is wanted: what a search needs; how logs are read, and so how
 * the index is brought up to date; logs that are rarer; all else. A module is in the first part that needs it, and others
 * take it from there, so that there is one of everything. Parts that are `hasty` load functions late.
 */
const parts = [
  {
    name: "program",
    hasty: true,
    roots: ["src/cli/program.ts", "src/cli/commands/search.ts", "src/cli/missing-part.ts"],
  },
  {
    name: "reading",
    roots: [
      "src/core/thread/session-builder.ts",
      "src/formats/claude/claude-parser.ts",
      "src/formats/claude/sidecars.ts",
      "src/store/index/index-writer.ts",
      "src/operations/indexing/index-task.ts",
      "src/operations/indexing/read-in-workers.ts",
      "src/operations/indexing/refresh-index.ts",
    ],
  },
  {
    name: "parsers",
    roots: [
      "src/formats/claw/claw-parser.ts",
      "src/formats/codex/codex-parser.ts",
      "src/formats/pi/pi-parser.ts",
    ],
  },
];
const LAST = "more";
const hasty = new Set(parts.filter((part) => part.hasty).map(({ name }) => name));

/** Which part has a module; all that is in none of these is in the last one. */
const partOf = new Map();

/** Modules that are asked for by their names: what the starter begins with, and what parts want of each other. */
const asked = new Set(["src/cli/program.ts", "src/cli/missing-part.ts"]);

/** What other parts have, and what is loaded when it is wanted, is asked for by its name: the starter loads the part. */
function takeFromParts(part) {
  const elsewhere = (name) => {
    asked.add(name);
    return { path: `${partOf.get(name) ?? LAST}:${name}`, external: true };
  };
  return {
    name: "take-from-parts",
    setup({ onResolve }) {
      onResolve({ filter: MODULE }, ({ kind, path, resolveDir, namespace }) => {
        const name = nameOf(resolve(resolveDir, path));
        if (namespace === "late" || kind === "dynamic-import") {
          return part === LAST && !partOf.has(name) ? undefined : elsewhere(name);
        }
        if (hasty.has(part) && name in lateFunctions && partOf.get(name) !== part)
          return { path: name, namespace: "late" };
        return partOf.has(name) && partOf.get(name) !== part ? elsewhere(name) : undefined;
      });
    },
  };
}

/**
 * The starter reads parts as one byte per character. esbuild escapes what else stands in strings; in expressions and
 * templates this does.
 */
function asAscii(text) {
  if (/\\[^\0-\x7f]/.test(text))
    throw new Error("A sign beyond ASCII stands behind a backslash: write it as \\u");
  return text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Not a module but a function, which the starter compiles: only so can the compiled code be kept. */
function buildPart(part, contents) {
  return build({
    ...shared,
    stdin: { contents, resolveDir: root, sourcefile: `${part}.js` },
    outdir: undefined,
    outfile: `dist/${part}.cjs`,
    metafile: true,
    format: "cjs",
    charset: "ascii",
    supported: { "dynamic-import": false },
    plugins: [takenWhole, loadLate, takeFromParts(part)],
    define: { "import.meta.url": "programUrl" },
    banner: { js: "(function (require, programUrl, module) {" },
    footer: { js: "return module.exports; })" },
  });
}

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

/** A part gives its modules by their names; made when they are asked for, so that nothing is done at the start. */
function givesModules(exported) {
  const modules = exported.map(([name, names], i) => ({
    take: `import { ${names.map((each) => `${each} as ${each}_${i}`).join(", ")} } from ${quote(`./${name}`)};`,
    give: `case ${quote(name)}: return { ${names.map((each) => `${each}: ${each}_${i}`).join(", ")} };`,
  }));
  return [
    ...modules.map(({ take }) => take),
    `module.exports = (name) => { switch (name) { ${modules.map(({ give }) => give).join("\n")} } };`,
  ].join("\n");
}

for (const { name: part, roots } of parts) {
  for (const name of roots) partOf.set(name, part);
}
for (const { name: part, roots } of parts) {
  const sketch = await buildPart(part, roots.map((name) => `import ${quote(`./${name}`)};`).join("\n"));
  for (const name of Object.keys(sketch.metafile.inputs)) if (MODULE.test(name)) partOf.set(name, part);
}
const askedOf = (part) => [...asked].filter((name) => (partOf.get(name) ?? LAST) === part);
const gives = askedOf(LAST).map((name) => `case ${quote(name)}: return require(${quote(`./${name}`)});`);
const givesRest = `module.exports = (name) => { switch (name) { ${gives.join("\n")} } };`;
const built = [await buildPart(LAST, givesRest)];
for (const { name: part } of [...parts].reverse())
  built.unshift(await buildPart(part, givesModules(await exportsOf(askedOf(part)))));
const partFiles = built.flatMap(({ outputFiles }) =>
  outputFiles.map(({ path, text }) => ({ path, contents: Buffer.from(asAscii(text)) })),
);

const sum = createHash("sha256");
const partSums = {};
for (const { path, contents } of partFiles) {
  sum.update(contents);
  partSums[basename(path, ".cjs")] = crc32(contents);
}

const starter = await build({
  ...shared,
  entryPoints: { sessions: "src/cli/starter.ts" },
  outExtension: { ".js": ".cjs" },
  format: "cjs",
  plugins: [takenWhole, loadLate],
  define: { PROGRAM_SUM: quote(sum.digest("hex").slice(0, 16)), PART_SUMS: quote(partSums) },
});

const face = await build({ ...shared, entryPoints: { index: "src/operations/index.ts" }, format: "esm" });

// The starter comes behind the program: it is for this very one.
for (const { path, contents } of [...partFiles, ...starter.outputFiles, ...face.outputFiles]) {
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${dirname(path)}/.${basename(path)}.${process.pid}`;
  writeFileSync(temporary, contents);
  chmodSync(temporary, basename(path) === "sessions.cjs" ? 0o755 : 0o644);
  renameSync(temporary, path);
}
