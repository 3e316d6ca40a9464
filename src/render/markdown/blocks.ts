import { cleanLine, cleanText } from "../../redact/clean-text.ts";
import { escapeInline } from "./escape-inline.ts";
import { type SanitizeOptions, sanitizeMarkdown, sanitizeRest } from "./sanitize-markdown.ts";

/** A paragraph, a list, a block of code: what an empty line sets apart from the next. */
export type Block = string;

/** One line out of a log within a line of ours. */
export function inline(text: string): string {
  return escapeInline(cleanLine(text));
}

/** One line out of a log as an item of a list: it must not begin a block of its own there. */
export function item(text: string): string {
  return `- ${sanitizeRest(cleanLine(text))}`;
}

export function prose(text: string, options?: SanitizeOptions): readonly Block[] {
  const lines = sanitizeMarkdown(text, options);
  return lines.length === 0 ? [] : [lines.join("\n")];
}

export function quoted(text: string, options?: SanitizeOptions): readonly Block[] {
  const lines = sanitizeMarkdown(text, options);
  return lines.length === 0 ? [] : [lines.map((line) => (line === "" ? ">" : `> ${line}`)).join("\n")];
}

/** Blocks below a list item. */
export function indented(blocks: readonly Block[]): Block {
  return blocks.join("\n\n").replace(/^(?=.)/gm, "  ");
}

/**
 * What is read only by those who open it. `<details>` is the one fold that hosts and most readers know, and in plain
 * text it is a line before and a line behind; where a reader does not know it, the content is simply there. The summary
 * is HTML.
 */
export function fold(summary: string, blocks: readonly Block[]): readonly Block[] {
  if (blocks.length === 0) return [];
  return [`<details><summary>${summary}</summary>`, ...blocks, "</details>"];
}

/**
 * Text within our own line of HTML. An ampersand that can't begin an entity is HTML, so `a && b` stays as it is. What
 * some readers look for within HTML too (links, comments) is taken apart.
 */
export function htmlBlock(text: string): string {
  return cleanLine(text)
    .replace(/&(?=[#\w])/g, "&amp;")
    .replaceAll("<", "&lt;")
    .replace(/\[(?=\[)/g, "&#91;")
    .replace(/\](?=[(:])/g, "&#93;")
    .replace(/%(?=%)/g, "&#37;");
}

/** Text as inline code. Its backticks are more than any that stand in the text, so that it can't end early. */
export function codeSpan(text: string): string {
  const line = cleanLine(text);
  if (line === "") return "";
  const marks = "`".repeat(unusedRun(line));
  const pad = line.startsWith("`") || line.endsWith("`") ? " " : "";
  return `${marks}${pad}${line}${pad}${marks}`;
}

/** The shortest run of backticks that the text does not have. */
function unusedRun(text: string): number {
  const used = new Set(Array.from(text.matchAll(/`+/g), ([run]) => run.length));
  let length = 1;
  while (used.has(length)) length++;
  return length;
}

/** Text as a block of code, as lines. Its fence is longer than any run of backticks in the text. */
export function codeBlock(text: string, language: string): readonly string[] {
  const lines = cleanText(text).trimEnd().split("\n");
  const start = lines.findIndex((line) => line.trim() !== "");
  return fencedLines(lines.slice(Math.max(0, start)), language);
}

/** Clean lines behind a fence that none of them can end. */
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
 * Languages that are only coloured. Others may be acted on: notes programs and hosts draw `mermaid`, load maps for
 * `geojson` and run `dataviewjs`, and a transcript could ask them to.
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

/** The language of a fence, where it is one that is only coloured. */
function knownLanguage(name: string): string {
  const word = name.toLowerCase();
  return languages.has(word) ? word : word === "" ? "" : "text";
}
