import { actionsOf } from "../../agents/actions.ts";
import type { ExtensionEvent, HookInput } from "../../agents/agent-actions.ts";
import { archiveSessions } from "../../archive/archive-sessions.ts";
import { type NotedSummary, noteSummary } from "../../archive/compaction-notes.ts";
import type { MarkdownWriter } from "../../archive/keep-session.ts";
import { logAt } from "../../archive/log-identity.ts";
import { UserError } from "../../errors.ts";
import type { Digest } from "../../extract/digest.ts";
import type { Library } from "../../fs/library.ts";
import { expandHome } from "../../fs/places.ts";
import { type Locking, withStore } from "../../fs/store.ts";
import { encodeJson } from "../../redact/clean-text.ts";
import { maskAndClean } from "../../redact/mask.ts";
import { createRedactor } from "../../redact/redact.ts";
import { type EarlierSession, type RecallOptions, recallPacket } from "../../render/agent/recall-packet.ts";
import { type PendingSession, stillOpen } from "../../search/pending-work.ts";
import type { AgentName } from "../../session/entry.ts";
import type { LogKey } from "../../session/session.ts";
import { recallDigest } from "../recall-digest.ts";
import { deletionWarning } from "./deletion-warning.ts";

/** Everything that hooks need from their caller. */
export interface HookPorts {
  readonly library: Library;
  /** Absent if the masking rules are unknown: then only bytes are archived. */
  readonly markdown: MarkdownWriter | undefined;
  readonly locking: Locking;
  /** Leaves this log's session to a background process; false if none was started. */
  readonly handOver: (log: string) => Promise<boolean>;
  /** The project of a folder, from the index without a refresh; undefined if there is no index or no such project. */
  readonly projectOf: (folder: string) => Promise<KnownProject | undefined>;
  /** Starts the guard if it is time for it. */
  readonly startGuard: () => Promise<void>;
  /** The folder of an administrator's settings of agents. */
  readonly managedFolder: string;
  /** Logs a failure. */
  readonly note: (what: string) => void;
}

/** A project, as the index has it. */
export interface KnownProject {
  readonly folder: string;
  /** Newest first. */
  readonly sessions: readonly EarlierSession[];
  readonly open: readonly PendingSession[];
}

/** Above this size, making the readable copy takes longer than an agent should wait. */
const LARGE_BYTES = 4 * 1024 * 1024;

/** Handles an event and returns the text to print. Errors that it throws are logged. */
export async function handleHook(input: HookInput, ports: HookPorts): Promise<string> {
  switch (input.event) {
    case "pre-compact":
      return archiveFirst(input, ports);
    case "session-end": {
      const log = logOf(input);
      // A session without any message has no log.
      const isKept = ports.library.disk.stat(log) === undefined || (await ports.handOver(log));
      if (!isKept) await archiveNow(log, ports);
      return "";
    }
    case "post-compact":
      await afterCompaction(input, ports);
      return "";
    case "session-start": {
      const answer = {
        ...(await recall(input, ports)),
        ...noticeOf(input, ports.library, "Sessions are archived anyway"),
      };
      await ports.startGuard();
      return printed(answer);
    }
    default:
      throw new Error(`Cannot handle the event "${input.event}"`);
  }
}

/** Archives the session of an extension's event, then returns the requested answer. */
export async function handleExtensionEvent(event: ExtensionEvent, ports: HookPorts): Promise<string> {
  const { library, handOver, note } = ports;
  const { log, isEnd, answer } = event;
  // A session without any message has no log yet.
  if (log !== undefined && library.disk.stat(log) !== undefined && !(isEnd && (await handOver(log)))) {
    try {
      await archiveNow(log, ports);
    } catch (error) {
      // The agent removes nothing from its log, so it may continue.
      note(error instanceof Error ? error.message : String(error));
    }
  }
  // Without a summary of ours, the agent writes its own.
  if (answer === undefined || library.settingsFault?.isRedactUnknown === true) return "";
  const { redact } = createRedactor({ extra: library.config.redact });
  return encodeJson(answer((value) => maskAndClean(value, redact)));
}

/** The outcome of archiving a session. */
type Archiving = "archived" | "left out" | "handed over";

/** Archives a session, and tells the user if the settings are broken, because nothing else would. */
async function archiveFirst(input: HookInput, ports: HookPorts): Promise<string> {
  const { library } = ports;
  if (library.settingsFault === undefined) {
    await archiveNow(logOf(input), ports);
    return "";
  }
  try {
    const done = DONE[await archiveNow(logOf(input), ports)];
    return printed(noticeOf(input, library, done));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    ports.note(why);
    return printed(noticeOf(input, library, `This session could not be archived: ${why}`));
  }
}

const DONE: Readonly<Record<Archiving, string>> = {
  archived: "This session is archived anyway, byte for byte",
  "handed over": "This session is archived in the background anyway, byte for byte",
  "left out": "This session is excluded or forgotten, and not archived",
};

/** The message to the user if the settings are broken: where, and what was done. */
function noticeOf({ agent }: HookInput, { settingsFault: fault }: Library, done: string): object {
  const hooks = actionsOf(agent).hooks;
  if (fault === undefined || hooks === undefined) return {};
  const left = fault.isRedactUnknown
    ? " Until it is corrected, no readable copies and no index entries are made."
    : " The other settings count.";
  const excluded = fault.isExcludeUnknown ? " What `exclude` leaves out is not fully known." : "";
  const repair = "Correct the file, then run `sessions archive`.";
  return hooks.noticeAnswer(`sessions: ${fault.message}. ${done}.${left}${excluded} ${repair}`);
}

/**
 * Archives a session while its agent waits. For a long one, only the bytes, which could be lost; its readable copy is
 * made in the background, which also waits for a busy store.
 */
async function archiveNow(log: string, ports: HookPorts): Promise<Archiving> {
  const { library, markdown, locking, handOver, note } = ports;
  const session = logAt(library, log);
  if (session === undefined) {
    const stat = library.disk.stat(expandHome(log, library.environment.home));
    const isFile = stat?.kind === "file" && stat.size > 0;
    const why = isFile ? "it is not a log of an agent that this program knows" : "there is no log";
    throw new Error(`Cannot archive ${JSON.stringify(log)}: ${why}`);
  }
  const archive = async (options: { readonly markdown?: MarkdownWriter }): Promise<Archiving> => {
    const done = await archiveSessions(library, { sessions: [session], locking, ...options });
    for (const { path, line, what } of done.problems) note(`${path}:${line}: ${what}`);
    return done.archived.length + done.unchanged > 0 ? "archived" : "left out";
  };
  const isLarge = session.files.reduce((sum, { size }) => sum + size, 0) > LARGE_BYTES;
  let done: Archiving;
  try {
    done = await archive(isLarge || markdown === undefined ? {} : { markdown });
  } catch (error) {
    // The background process will report failures too.
    if (await handOver(log)) return "handed over";
    throw error;
  }
  if (isLarge && markdown !== undefined && !(await handOver(log))) await archive({ markdown });
  return done;
}

async function afterCompaction(input: HookInput, ports: HookPorts): Promise<void> {
  const { library, handOver } = ports;
  const { agent, sessionId, summary, trigger, log } = input;
  // The log has it too, and here it could not be masked, because the rules are unknown.
  if (summary !== undefined && library.settingsFault?.isRedactUnknown !== true) {
    // The log itself is the best source for the session's id.
    const known = log === undefined ? undefined : logAt(library, log);
    const session = known ?? (sessionId === undefined ? undefined : { agent, id: sessionId, copy: null });
    if (session !== undefined) await note(ports, session, { text: summary, trigger: trigger ?? null });
  }
  if (log !== undefined) await handOver(log);
}

/** Notes a summary while no other process writes to the store, so that two hooks at once keep both of theirs. */
async function note(
  { library, locking }: HookPorts,
  session: LogKey,
  summary: Omit<NotedSummary, "at">,
): Promise<void> {
  try {
    await withStore(library, locking, () => noteSummary(library, session, summary));
  } catch (error) {
    // The store is busy for longer than an agent should wait: the summary must not be lost for that.
    if (!(error instanceof UserError)) throw error;
    noteSummary(library, session, summary);
  }
}

async function recall(
  { agent, sessionId, source, log, folder }: HookInput,
  { library, managedFolder, projectOf }: HookPorts,
): Promise<object | undefined> {
  // A packet quotes the log, and the masking rules are unknown.
  if (library.settingsFault?.isRedactUnknown === true) return undefined;
  const mode = library.config.hooks.recall;
  const warning = (): string | undefined =>
    log === undefined ? undefined : deletionWarning(library, agent, log, managedFolder);
  if (source === "compact") {
    if (mode === "off" || log === undefined) return undefined;
    return recallAnswer(agent, recallDigest(library, { log }), { after: "compaction", warning: warning() });
  }
  // A resumed session has its context; a cleared one must not get it back.
  if (source !== "startup" || mode !== "always" || folder === undefined) return undefined;
  const project = await projectOf(folder);
  const except = log === undefined ? {} : { except: log };
  const digest =
    recallDigest(library, { folder, ...except }) ??
    (project === undefined ? undefined : recallDigest(library, { folder: project.folder, ...except }));
  if (digest === undefined) return undefined;
  const others = (project?.open ?? []).filter(({ row }) => row.digest.id !== sessionId);
  return recallAnswer(agent, digest, {
    after: "start",
    warning: warning(),
    earlier: project?.sessions ?? [],
    // The index may be older than the log of the last session.
    openElsewhere: others.map(({ row, items }) => ({ id: row.digest.id, items: stillOpen(items, digest) })),
  });
}

function logOf({ event, log }: HookInput): string {
  if (log === undefined) throw new Error(`Cannot handle ${event}: the event has no transcript_path`);
  return log;
}

/** The limit for printed text: agents cut off at 10,000, and every character takes up context. */
const MAX_CHARS = 2_000;

/** The answer of a hook when a session starts; undefined if there is nothing to recall. */
function recallAnswer(
  agent: AgentName,
  digest: Digest | undefined,
  options: Omit<RecallOptions, "fits">,
): object | undefined {
  const hooks = actionsOf(agent).hooks;
  if (digest === undefined || hooks === undefined) return undefined;
  const answerOf = (packet: string): object => hooks.contextAnswer(packet);
  const fits = (text: string): boolean => printed(answerOf(text)).length <= MAX_CHARS;
  const packet = recallPacket(digest, { ...options, fits });
  return packet === undefined ? undefined : answerOf(packet);
}

/** One line of JSON; nothing if there is nothing to say. */
function printed(answer: object): string {
  return Object.keys(answer).length === 0 ? "" : `${encodeJson(answer)}\n`;
}
