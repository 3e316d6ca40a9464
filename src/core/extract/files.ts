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
  if (!text.includes("/")) return [];
  const found: string[] = [];
  for (const [token] of text.matchAll(/[^\s"'`()<>[\]{},;|*]{1,300}/g)) {
    if (!token.includes("/") || token.includes("://")) continue;
    const path = token.replace(/^[@:]+/, "").replace(/(?::\d+(?:[-:]\d+)?)?[.:!?]*$/, "");
    const dot = path.lastIndexOf(".");
    if (dot > path.lastIndexOf("/") && extensions.has(path.slice(dot + 1).toLowerCase())) found.push(path);
  }
  return found;
}
