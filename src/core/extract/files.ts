import type { Session, Step } from "../model/session.ts";
import type { DigestFile } from "./digest.ts";

const MAX_MENTIONED = 200;

/** Files that tools read or wrote, in the order of their first use, then files that are only named in requests and replies. */
export function extractFiles(session: Session): readonly DigestFile[] {
  const touched = new Map<string, Mutable<DigestFile>>();
  const take = (steps: readonly Step[]): void => {
    for (const step of steps) {
      if (step.kind !== "tool") continue;
      for (const { path, mode } of step.call.files) {
        const file = touched.get(path) ?? unseen(path);
        if (mode === "read") file.reads++;
        else file.writes++;
        file.firstAt ??= step.at;
        file.lastAt = step.at ?? file.lastAt;
        touched.set(path, file);
      }
    }
  };
  take(session.preamble);
  for (const turn of session.turns) take(turn.steps);
  for (const subagent of session.subagents) take(subagent.steps);
  return [...touched.values(), ...mentionedFiles(session, touched)];
}

function mentionedFiles(session: Session, touched: ReadonlyMap<string, unknown>): readonly DigestFile[] {
  const mentioned = new Map<string, Mutable<DigestFile>>();
  const tails = new Set([...touched.keys()].flatMap(pathTails));
  const take = (text: string, at: number | null): void => {
    for (const path of fileCandidates(text)) {
      if (tails.has(path)) continue;
      const file = mentioned.get(path);
      if (file !== undefined) {
        file.mentions++;
        file.lastAt = at ?? file.lastAt;
      } else if (mentioned.size < MAX_MENTIONED)
        mentioned.set(path, { ...unseen(path), mentions: 1, firstAt: at, lastAt: at });
    }
  };
  for (const turn of session.turns) {
    take(turn.request, turn.at);
    for (const step of turn.steps) if (step.kind === "reply") take(step.text, step.at);
  }
  return [...mentioned.values()];
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

function unseen(path: string): Mutable<DigestFile> {
  return { path, reads: 0, writes: 0, mentions: 0, firstAt: null, lastAt: null };
}

/** `/a/b/c.ts` is also named as `a/b/c.ts` and `b/c.ts`. */
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

/** Tokens with a slash and a known extension, without the punctuation around them. */
export function fileCandidates(
  text: string,
  extensions: ReadonlySet<string> = EXTENSIONS,
): readonly string[] {
  const found: string[] = [];
  // From slash to slash: most words have none, and this runs over all of them.
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

/** White space, quotes, brackets and what else never stands in a path. */
const BORDERS: ReadonlySet<number> = new Set(
  [
    ..."\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff\"'`()<>[]{},;|*",
  ].map((char) => char.charCodeAt(0)),
);

function isBorder(code: number): boolean {
  return BORDERS.has(code);
}
