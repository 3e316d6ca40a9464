import { actionsOf } from "../../agents/actions.ts";
import type { ExtensionEvent, HookInput } from "../../agents/agent-actions.ts";
import { archiveSessions } from "../../archive/archive-sessions.ts";
import { noteSummary } from "../../archive/compaction-notes.ts";
import type { MarkdownWriter } from "../../archive/keep-session.ts";
import { logAt } from "../../archive/log-identity.ts";
import type { Digest } from "../../extract/digest.ts";
import type { Library } from "../../fs/library.ts";
import type { Locking } from "../../fs/store.ts";
import { encodeJson } from "../../redact/clean-text.ts";
import { maskAndClean } from "../../redact/mask.ts";
import { createRedactor } from "../../redact/redact.ts";
import { type EarlierSession, type RecallOptions, recallPacket } from "../../render/agent/recall-packet.ts";
import type { AgentName } from "../../session/entry.ts";
import { recallDigest } from "../recall-digest.ts";
import { deletionWarning } from "./deletion-warning.ts";

/** What hooks need from their caller. */
export interface HookPorts {
  readonly library: Library;
  readonly markdown: MarkdownWriter;
  readonly locking: Locking;
  /** Leaves this log's session to a background process; false if none may be started. */
  readonly handOver: (log: string) => Promise<boolean>;
  /** The newest sessions of a folder, from the index without a refresh; none if there is no index. */
  readonly sessionsIn: (folder: string) => Promise<readonly EarlierSession[]>;
  /** Starts the guard if it is time for it. */
  readonly startGuard: () => Promise<void>;
  /** The folder of an administrator's settings of agents. */
  readonly managedFolder: string;
  /** Writes to the log what went wrong. */
  readonly note: (what: string) => void;
}

/** Above this, making the readable copy takes longer than an agent should wait. */
const LARGE_BYTES = 4 * 1024 * 1024;

/** Handles an event and returns what to print. What it throws goes to the log. */
export async function handleHook(input: HookInput, ports: HookPorts): Promise<string> {
  switch (input.event) {
    case "pre-compact":
      await archiveNow(logOf(input), ports);
      return "";
    case "session-end": {
      const log = logOf(input);
      // A session in which nothing was said has no log.
      const isKept = ports.library.disk.stat(log) === undefined || (await ports.handOver(log));
      if (!isKept) await archiveNow(log, ports);
      return "";
    }
    case "post-compact":
      await afterCompaction(input, ports);
      return "";
    case "session-start": {
      const answer = await recall(input, ports);
      await ports.startGuard();
      return answer;
    }
    default:
      throw new Error(`Cannot handle the event "${input.event}"`);
  }
}

/** Archives the session of an extension's event, then returns the requested answer. */
export async function handleExtensionEvent(event: ExtensionEvent, ports: HookPorts): Promise<string> {
  const { library, handOver, note } = ports;
  const { log, isEnd, answer } = event;
  // A session in which nothing was said yet has no log.
  if (log !== undefined && library.disk.stat(log) !== undefined && !(isEnd && (await handOver(log)))) {
    try {
      await archiveNow(log, ports);
    } catch (error) {
      // The agent removes nothing from its log, so it may go on.
      note(error instanceof Error ? error.message : String(error));
    }
  }
  if (answer === undefined) return "";
  const { redact } = createRedactor({ extra: library.config.redact });
  return encodeJson(answer((value) => maskAndClean(value, redact)));
}

/**
 * Archives a session while its agent waits. Of a long one, only the bytes, which could be lost; its readable copy is made
 * in the background, which also waits for a busy store.
 */
async function archiveNow(log: string, ports: HookPorts): Promise<void> {
  const { library, markdown, locking, handOver, note } = ports;
  const session = logAt(library, log);
  if (session === undefined) throw new Error(`Cannot archive ${JSON.stringify(log)}: there is no log`);
  const archive = async (options: { readonly markdown?: MarkdownWriter }): Promise<void> => {
    const { problems } = await archiveSessions(library, { sessions: [session], locking, ...options });
    for (const { path, line, what } of problems) note(`${path}:${line}: ${what}`);
  };
  const isLarge = session.files.reduce((sum, { size }) => sum + size, 0) > LARGE_BYTES;
  try {
    await archive(isLarge ? {} : { markdown });
  } catch (error) {
    // The background process will report what it can't do either.
    if (await handOver(log)) return;
    throw error;
  }
  if (isLarge && !(await handOver(log))) await archive({ markdown });
}

async function afterCompaction(input: HookInput, { library, handOver }: HookPorts): Promise<void> {
  const { agent, sessionId, summary, trigger, log } = input;
  if (summary !== undefined) {
    // The log itself is the best source for the session's id.
    const known = log === undefined ? undefined : logAt(library, log);
    const session = known ?? (sessionId === undefined ? undefined : { agent, id: sessionId, copy: null });
    if (session !== undefined) noteSummary(library, session, { text: summary, trigger: trigger ?? null });
  }
  if (log !== undefined) await handOver(log);
}

async function recall(
  { agent, source, log, folder }: HookInput,
  { library, managedFolder, sessionsIn }: HookPorts,
): Promise<string> {
  const mode = library.config.hooks.recall;
  const warning = (): string | undefined =>
    log === undefined ? undefined : deletionWarning(library, agent, log, managedFolder);
  if (source === "compact") {
    if (mode === "off" || log === undefined) return "";
    return recallAnswer(agent, recallDigest(library, { log }), { after: "compaction", warning: warning() });
  }
  // A resumed session has its context; a cleared one must not get it back.
  if (source !== "startup" || mode !== "always" || folder === undefined) return "";
  const digest = recallDigest(library, { folder, ...(log === undefined ? {} : { except: log }) });
  const earlier = digest === undefined ? [] : await sessionsIn(folder);
  return recallAnswer(agent, digest, { after: "start", warning: warning(), earlier });
}

function logOf({ event, log }: HookInput): string {
  if (log === undefined) throw new Error(`Cannot handle ${event}: the event has no transcript_path`);
  return log;
}

/** Limit of what is printed: agents cut off at 10,000, and every character takes up context. */
const MAX_CHARS = 2_000;

/** What a hook prints when a session starts; nothing if there is nothing to recall. */
function recallAnswer(
  agent: AgentName,
  digest: Digest | undefined,
  options: Omit<RecallOptions, "fits">,
): string {
  const hooks = actionsOf(agent).hooks;
  if (digest === undefined || hooks === undefined) return "";
  const answerOf = (packet: string): string => `${encodeJson(hooks.contextAnswer(packet))}\n`;
  const packet = recallPacket(digest, { ...options, fits: (text) => answerOf(text).length <= MAX_CHARS });
  return packet === undefined ? "" : answerOf(packet);
}
