import { createHash } from "node:crypto";
import type { SessionFiles } from "../../agents/agent.ts";
import type { Problem } from "../../errors.ts";
import type { ClosedItem, Digest, PendingItem } from "../../extract/digest.ts";
import type { AgentName } from "../../session/entry.ts";
import type { Context } from "../../session/session.ts";

/** What a session was read from. `fragments`: only sub-agents of it are left; `history`: only its prompts. */
export type Origin = "log" | "fragments" | "archive" | "history";

/** What lists and the check for changes need of every session. Small: all of them are read at every refresh. */
export interface SessionRow {
  readonly agent: AgentName;
  readonly id: string;
  readonly title: string | null;
  readonly project: string | null;
  readonly branch: string | null;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly turns: number;
  readonly messages: number;
  readonly compactions: number;
  readonly bytes: number;
  readonly files: number;
  readonly lead: string | null;
  /** The same as it may be printed, where that differs: a folder's name may hold a secret. */
  readonly maskedLead?: string;
  readonly origin: Origin;
  /** Changes when any file of the session does. */
  readonly mark: string;
  /** Name of its first turn: a fork has the same. */
  readonly firstTurn: string | null;
  readonly contexts: readonly Context[];
  readonly tools: Readonly<Record<string, number>>;
  /** The files that were written most, else read most. */
  readonly topFiles: readonly string[];
  readonly pending: readonly PendingItem[];
  readonly closed: readonly ClosedItem[];
  readonly problems: readonly Problem[];
}

const TOP_FILES = 8;
const MAX_PROBLEMS = 50;

export function sessionRow(
  digest: Digest,
  problems: readonly Problem[],
  files: SessionFiles,
  origin: Origin,
  mark: string,
): SessionRow {
  const {
    agent,
    id,
    title,
    project,
    branch,
    startedAt,
    endedAt,
    turns,
    messages,
    compactions,
    contexts,
    pending,
    closed,
  } = digest;
  return {
    ...{
      agent,
      id,
      title,
      project,
      branch,
      startedAt,
      endedAt,
      turns,
      messages,
      compactions,
      contexts,
      pending,
      closed,
    },
    bytes: bytesOf(files),
    files: files.files.length,
    lead: files.files[0]?.path ?? null,
    origin,
    mark,
    firstTurn: firstTurnOf(digest),
    tools: Object.fromEntries(Object.entries(digest.tools).map(([name, { count }]) => [name, count])),
    topFiles: digest.files
      .toSorted((a, b) => b.writes - a.writes || b.reads - a.reads)
      .slice(0, TOP_FILES)
      .map(({ path }) => path),
    problems: problems.slice(0, MAX_PROBLEMS),
  };
}

function firstTurnOf({ requests }: Digest): string | null {
  const [first] = requests;
  return first === undefined || first.uid === null || first.at === null ? null : `${first.uid} ${first.at}`;
}

/** Of the logs themselves. */
export function bytesOf({ files }: SessionFiles): number {
  return files.reduce(
    (sum, { role, size }) => (role === "main" || role === "rotation" ? sum + size : sum),
    0,
  );
}

/** Of all files that belong to the session. */
export function sizeOf({ files }: SessionFiles): number {
  return files.reduce((sum, { size }) => sum + size, 0);
}

/** Tells whether any file of a session changed, came or went. */
export function markOf({ files }: SessionFiles): string {
  const hash = createHash("sha1");
  for (const { path, size, mtimeMs, inode } of files) hash.update(`${path}\0${size}\0${mtimeMs}\0${inode}\n`);
  return hash.digest("base64url").slice(0, 16);
}
