import { createHash } from "node:crypto";
import type { SessionFiles } from "../../agents/agent.ts";
import type { Problem } from "../../errors.ts";
import { type ActivitySlots, countSlots, countTurns } from "../../extract/activity-slots.ts";
import type { ClosedItem, Digest, PendingItem } from "../../extract/digest.ts";
import { column } from "../../session/activity.ts";
import type { Checkout } from "../../session/checkout.ts";
import type { AgentName } from "../../session/entry.ts";
import type { Context } from "../../session/session.ts";

/** Where a session was read from. `fragments`: only its sub-agents are left; `history`: only its prompts. */
export type Origin = "log" | "fragments" | "archive" | "history";

/** Whether only parts of a session are left: its prompts, or its sub-agents. */
export function isStub({ origin }: Pick<SessionRow, "origin">): boolean {
  return origin === "fragments" || origin === "history";
}

/** The part of a session that lists and refreshes need. Small, because every refresh reads all rows. */
export interface SessionRow extends Checkout {
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
  /** The name of the machine that it was pulled from; absent if this machine has or had a log of it. */
  readonly machine?: string;
  /** Its logs if there are several, the leading one first. */
  readonly logs?: readonly LogPlace[];
  /** The state of those of them that only the archive has. */
  readonly kept?: string;
  /** The same with secrets masked, if it has any: the name of a folder may be a secret. */
  readonly maskedLead?: string;
  readonly origin: Origin;
  /** Changes when any file of the session does. */
  readonly mark: string;
  /** Identifies its first turn: a fork has the same. */
  readonly firstTurn: string | null;
  readonly contexts: readonly Context[];
  readonly tools: Readonly<Record<string, number>>;
  /** The files that were written most, then those that were read most. */
  readonly topFiles: readonly string[];
  readonly pending: readonly PendingItem[];
  readonly closed: readonly ClosedItem[];
  readonly problems: readonly Problem[];
  readonly activity: ActivitySlots;
  /** The original that it is a fork of, by its log: forks share their first messages with it. */
  readonly firstMessage?: number;
  readonly forkOf?: string;
}

/** The place of one of several logs of a session. */
export interface LogPlace extends Checkout {
  readonly path: string;
  /** The same with secrets masked, if it has any. */
  readonly maskedPath?: string;
  readonly project: string | null;
  /** Whether its file is gone, while another log of the session is there. */
  readonly isKept?: true;
  /** The name of the machine that it is on; absent: this one. */
  readonly machine?: string;
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
  const firstMessage = digest.activity.messages[column.key];
  return {
    agent: digest.agent,
    id: digest.id,
    title: digest.title,
    project: digest.project,
    repository: digest.repository,
    worktree: digest.worktree,
    branch: digest.branch,
    startedAt: digest.startedAt,
    endedAt: digest.endedAt,
    turns: digest.turns,
    messages: digest.messages,
    compactions: digest.compactions,
    contexts: digest.contexts,
    pending: digest.pending,
    closed: digest.closed,
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
    activity: {
      ...countSlots(digest.activity),
      turns: countTurns(digest.requests.map(({ at }) => at ?? digest.startedAt)),
    },
    ...(firstMessage === undefined ? {} : { firstMessage }),
    ...(digest.lineage?.kind === "fork" ? { forkOf: digest.lineage.session } : {}),
  };
}

function firstTurnOf({ requests }: Digest): string | null {
  const [first] = requests;
  return first === undefined || first.uid === null || first.at === null ? null : `${first.uid} ${first.at}`;
}

/** The bytes of the logs themselves. */
export function bytesOf({ files }: SessionFiles): number {
  return files.reduce(
    (sum, { role, size }) => (role === "main" || role === "rotation" ? sum + size : sum),
    0,
  );
}

/** The bytes of all files that belong to the session. */
export function sizeOf({ files }: SessionFiles): number {
  return files.reduce((sum, { size }) => sum + size, 0);
}

/** Returns a mark that changes when a file of the session changes, comes or goes. */
export function filesMark({ files }: SessionFiles): string {
  const hash = createHash("sha1");
  for (const { path, size, mtimeMs, inode } of files) hash.update(`${path}\0${size}\0${mtimeMs}\0${inode}\n`);
  return hash.digest("base64url").slice(0, 16);
}
