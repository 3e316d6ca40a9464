import type { Digest } from "../extract/digest.ts";
import { extractTimeline } from "../extract/extract-digest.ts";
import type { Session, Step } from "../session/session.ts";
import { type StepJson, type TurnJson, turnJson } from "./json/conversation-json.ts";
import {
  SCHEMA_VERSION,
  type SessionDetailJson,
  type SessionWhereabouts,
  sessionDetailJson,
} from "./json/session-json.ts";

/** A whole session as JSON: what `show --json` tells, and everything that was said and done. */
interface SessionDocument extends SessionDetailJson {
  readonly schemaVersion: number;
  /** What stands before the first request. */
  readonly preamble: readonly StepJson[];
  readonly conversation: readonly TurnJson[];
  readonly subagentConversations: readonly {
    readonly id: string;
    readonly prompt: string | null;
    readonly steps: readonly StepJson[];
  }[];
  readonly branches: Session["branches"];
}

/** The members of the document, in order. Lists of what was said are made while they are read, once. */
export function* sessionDocument(
  where: SessionWhereabouts & { readonly digest: Digest },
  session: Session,
  resume: string,
): Generator<readonly [keyof SessionDocument, unknown], void, void> {
  yield ["schemaVersion", SCHEMA_VERSION];
  const detail = sessionDetailJson(where, session, extractTimeline(session), resume);
  for (const key of Object.keys(detail) as (keyof SessionDetailJson)[]) yield [key, detail[key]];
  yield ["preamble", stepsJson(session.preamble)];
  yield ["conversation", mapped(session.turns, turnJson)];
  yield [
    "subagentConversations",
    mapped(session.subagents, ({ id, prompt, steps }) => ({ id, prompt, steps: stepsJson(steps) })),
  ];
  yield ["branches", session.branches];
}

function* mapped<T, U>(items: readonly T[], map: (item: T) => U): Generator<U, void, void> {
  for (const item of items) yield map(item);
}

/** As in a turn, without one. */
function stepsJson(steps: readonly Step[]): readonly StepJson[] {
  const turn = { number: 0, uid: null, at: null, line: 0, request: "" };
  return turnJson({ ...turn, context: "current", via: "typed", steps }).steps;
}

interface TouchedFile {
  /** Relative to the project where it lies in it. */
  readonly name: string;
  readonly reads: number;
  readonly writes: number;
}

/** Files that tools read or wrote, those written most first. */
export function touchedFiles({ files, project }: Digest): readonly TouchedFile[] {
  return files
    .filter(({ reads, writes }) => reads + writes > 0)
    .map(({ path, reads, writes }) => ({ name: relativeTo(project, path), reads, writes }))
    .sort((a, b) => b.writes - a.writes || b.reads - a.reads);
}

/** Files that are only named in what was said. */
export function namedFiles({ files, project }: Digest): readonly string[] {
  return files
    .filter(({ reads, writes }) => reads + writes === 0)
    .map(({ path }) => relativeTo(project, path));
}

export function relativeTo(project: string | null, path: string): string {
  const inside = project !== null && (path.startsWith(`${project}/`) || path.startsWith(`${project}\\`));
  return inside && path.length > project.length + 1 ? path.slice(project.length + 1) : path;
}
