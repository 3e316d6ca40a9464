import type { FileTouch } from "../session/entry.ts";
import type { DigestFile } from "./digest.ts";
import type { ToolStep } from "./walk-session.ts";

const MAX_MENTIONED = 200;

/** Collects files that tools read or wrote, in the order of their first use, then files that are only named in texts. */
export interface FileTouches {
  touch(step: ToolStep): void;
  /** Finds paths in the text of a request or a reply. */
  mention(text: string, at: number | null): void;
  list(): readonly DigestFile[];
}

export function createFileTouches(): FileTouches {
  const touched = new Map<string, Mutable<DigestFile>>();
  const mentioned = new Map<string, Mutable<DigestFile>>();
  return {
    touch({ call, at }) {
      const { files } = call;
      for (let index = 0; index < files.length; index++) {
        const { path, mode } = files[index] ?? NO_FILE;
        let file = touched.get(path);
        if (file === undefined) {
          file = unseen(path);
          touched.set(path, file);
        }
        if (mode === "read") file.reads++;
        else file.writes++;
        file.firstAt ??= at;
        file.lastAt = at ?? file.lastAt;
      }
    },
    mention(text, at) {
      if (!text.includes("/")) return;
      for (const path of fileCandidates(text)) {
        const file = mentioned.get(path);
        if (file === undefined)
          mentioned.set(path, { ...unseen(path), mentions: 1, firstAt: at, lastAt: at });
        else {
          file.mentions++;
          file.lastAt = at ?? file.lastAt;
        }
      }
    },
    list: () => [...touched.values(), ...onlyMentioned(mentioned, touched)],
  };
}

const NO_FILE: FileTouch = { path: "", mode: "read" };

function onlyMentioned(
  mentioned: ReadonlyMap<string, DigestFile>,
  touched: ReadonlyMap<string, unknown>,
): readonly DigestFile[] {
  if (mentioned.size === 0) return [];
  const tails = new Set([...touched.keys()].flatMap(pathTails));
  const files: DigestFile[] = [];
  for (const [path, file] of mentioned) {
    if (files.length === MAX_MENTIONED) break;
    if (!tails.has(path)) files.push(file);
  }
  return files;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

function unseen(path: string): Mutable<DigestFile> {
  return { path, reads: 0, writes: 0, mentions: 0, firstAt: null, lastAt: null };
}

/** Texts also name `/a/b/c.ts` as `a/b/c.ts` and `b/c.ts`. */
function pathTails(path: string): readonly string[] {
  const tails = [path];
  for (let at = path.indexOf("/", 1); at !== -1; at = path.indexOf("/", at + 1))
    tails.push(path.slice(at + 1));
  return path.startsWith("/") ? [...tails, path.slice(1)] : tails;
}

const EXTENSIONS: ReadonlySet<string> = new Set(
  (
    "rs ts tsx js jsx mjs cjs json jsonl md mdx py go java kt c h cc cpp hpp cs rb php swift scala sh bash zsh fish ps1 sql html css scss " +
    "vue svelte yml yaml toml ini cfg conf env lock xml proto graphql tf txt csv ipynb ex exs erl hs lua pl r dart zig nix gradle"
  ).split(" "),
);

/** Finds words with a slash and a known extension, without the punctuation around them. */
export function fileCandidates(
  text: string,
  extensions: ReadonlySet<string> = EXTENSIONS,
): readonly string[] {
  const found: string[] = [];
  // Goes from slash to slash, because most words have none and all texts are searched.
  for (let slash = text.indexOf("/"); slash !== -1; ) {
    let start = slash;
    while (start > 0 && !isBorder(text.charCodeAt(start - 1))) start--;
    let end = slash + 1;
    while (end < text.length && !isBorder(text.charCodeAt(end))) end++;
    const path = end - start > MAX_PATH ? undefined : pathOf(text.slice(start, end), extensions);
    if (path !== undefined) found.push(path);
    slash = text.indexOf("/", end);
  }
  return found;
}

const MAX_PATH = 300;

function pathOf(token: string, extensions: ReadonlySet<string>): string | undefined {
  const dot = token.lastIndexOf(".");
  if (dot === -1 || token.includes("://")) return undefined;
  const path = token.replace(/^[@:]+/, "").replace(/(?::\d+(?:[-:]\d+)?)?[.:!?]*$/, "");
  const extension = path.lastIndexOf(".");
  if (extension <= path.lastIndexOf("/")) return undefined;
  return extensions.has(path.slice(extension + 1).toLowerCase()) ? path : undefined;
}

/** White space, quotes, brackets and other characters that are never part of a path. */
const BORDERS: ReadonlySet<number> = new Set(
  [
    ..."\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff\"'`()<>[]{},;|*",
  ].map((char) => char.charCodeAt(0)),
);

function isBorder(code: number): boolean {
  return BORDERS.has(code);
}
