import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

/** Writes the sizes of what `npm run build` makes into docs/BENCHMARKS.md: `npm run docs:sizes`. */

const root = fileURLToPath(new URL("..", import.meta.url));

export interface BundleSize {
  readonly file: string;
  readonly bytes: number;
  readonly packedBytes: number;
}

/** What each file is for; one that is missing here fails the script. */
const purposes: Readonly<Record<string, string>> = {
  "sessions.cjs": "the launcher, which picks one of the others",
  "search.cjs": "`search` with nothing changed, and what hooks need",
  "main.cjs": "the other commands",
  "remote.cjs": "`remote`, `sync`, `push`, `guard`, and all with `--remote`",
  "mcp.cjs": "`mcp`",
  "serve.cjs": "`serve`",
  "pick.cjs": "`pick`, `search -i`",
  "opencode.cjs": "databases of opencode, when one has changed",
  "zstd.cjs": "packed logs of Codex, when one is read",
  "index.js": "the library",
  "web/page.js": "the page of `serve`, in the browser",
  "web/page.css": "its style",
  "web/site.js": "an exported site, in the browser",
  "web/site.css": "its style",
};

/** The files of code and style below `dist`, the largest first. */
export function bundleSizes(dist: string = join(root, "dist")): readonly BundleSize[] {
  const names = [
    ...readdirSync(dist),
    ...readdirSync(join(dist, "web")).map((name) => `web/${name}`),
  ].filter((name) => /\.(?:c?js|css)$/.test(name));
  return names
    .map((file) => {
      const path = join(dist, file);
      return { file, bytes: statSync(path).size, packedBytes: gzipSync(readFileSync(path)).length };
    })
    .sort((a, b) => b.bytes - a.bytes);
}

export const SIZES_START = "<!-- sizes: written by `npm run docs:sizes` -->";
export const SIZES_END = "<!-- end of sizes -->";

function tableOf(sizes: readonly BundleSize[]): string {
  const kb = (bytes: number): string => `${Math.round(bytes / 1000).toLocaleString("en")} KB`;
  const rows = sizes.map(({ file, bytes, packedBytes }) => {
    const purpose = purposes[file];
    if (purpose === undefined) throw new Error(`say in scripts/make-bundle-sizes.ts what ${file} is for`);
    return `| \`${file}\` | ${kb(bytes)} | ${kb(packedBytes)} | ${purpose} |`;
  });
  return ["| file | size | gzipped | what it is for |", "|---|---|---|---|", ...rows].join("\n");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const path = join(root, "docs/BENCHMARKS.md");
  const before = readFileSync(path, "utf8");
  const [start, end] = [before.indexOf(SIZES_START), before.indexOf(SIZES_END)];
  if (start < 0 || end < start) throw new Error(`${path} has no place for the sizes`);
  const table = `${SIZES_START}\n\n${tableOf(bundleSizes())}\n\n`;
  writeFileSync(path, before.slice(0, start) + table + before.slice(end));
}
