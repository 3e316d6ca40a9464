/** Puts clean lines into a fence that none of them can end. */
export function fencedLines(lines: readonly string[], language: string): readonly string[] {
  const fence = "`".repeat(Math.max(3, longestRun(lines) + 1));
  return [`${fence}${knownLanguage(language)}`, ...lines, fence];
}

function longestRun(lines: readonly string[]): number {
  let longest = 0;
  for (const line of lines) {
    if (!line.includes("``")) continue;
    for (const [run] of line.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  }
  return longest;
}

/**
 * Languages that programs only color. Others may be executed: notes programs draw `mermaid`, load maps for `geojson` and
 * run `dataviewjs`, and a transcript must not be able to request that.
 */
const languages: ReadonlySet<string> = new Set(
  (
    "sh bash zsh fish shell console powershell ps1 ts tsx typescript js jsx javascript mjs cjs json jsonc jsonl py python " +
    "rb ruby rs rust go golang java kt kotlin swift c h cc cpp c++ hpp cs csharp php pl perl lua r scala clj clojure ex " +
    "elixir erl erlang hs haskell ml ocaml fs fsharp dart zig nim nix sql html xml css scss less vue svelte yml yaml toml " +
    "ini conf cfg env properties dockerfile docker makefile make cmake gradle groovy proto graphql tf hcl diff patch md " +
    "markdown txt text log csv tsv asm vim lisp scheme awk sed jq nginx"
  ).split(" "),
);

/** Returns the language of a fence if it is harmless, else `text`. */
function knownLanguage(name: string): string {
  const word = name.toLowerCase();
  return languages.has(word) ? word : word === "" ? "" : "text";
}
