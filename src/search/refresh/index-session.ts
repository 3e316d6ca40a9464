import type { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import type { SessionFiles } from "../../agents/agent.ts";
import { agentNamed } from "../../agents/agents.ts";
import type { ByteSource } from "../../agents/byte-source.ts";
import {
  type CheckpointOptions,
  createParseCheckpoints,
} from "../../agents/checkpoints/parse-checkpoints.ts";
import { withoutExcluded } from "../../agents/excluded-logs.ts";
import { reasonOf } from "../../agents/isolate.ts";
import { readSession } from "../../agents/read-session.ts";
import { factsInHead } from "../../agents/session-of-log.ts";
import { isUnreadable } from "../../agents/sniff-format.ts";
import { identifySession } from "../../archive/archive-sessions.ts";
import { archiveSource, sessionFilesOf } from "../../archive/archive-source.ts";
import type { KeptSession } from "../../archive/archive-store.ts";
import { withBases } from "../../archive/archived-bases.ts";
import type { MachinesOfLogs } from "../../archive/archived-sessions.ts";
import { openArchive } from "../../archive/open-archive.ts";
import { rewrittenLogs } from "../../archive/own-writes.ts";
import { comparedMessages } from "../../extract/activity-slots.ts";
import { extractDigest } from "../../extract/extract-digest.ts";
import { isExcluded } from "../../fs/config.ts";
import { ArchiveDamage } from "../../fs/damage.ts";
import { sameMark } from "../../fs/disk.ts";
import type { Library } from "../../fs/library.ts";
import { maskDeep } from "../../redact/mask.ts";
import { createRedactor } from "../../redact/redact.ts";
import { findCheckout } from "../../session/checkout.ts";
import { type Session, sessionKey } from "../../session/session.ts";
import { createSessionBuilder } from "../../session/session-builder.ts";
import { type EachEarlier, withShrunkAway } from "../../session/shrunk-away.ts";
import { type CollectWords, defaultTextLimits, type TextLimits } from "../../session/text-budget.ts";
import { createWordCollector } from "../analysis/collect-words.ts";
import { sessionSchema, WORDS_FIELD } from "../document-fields.ts";
import { documentFingerprint, type FingerprintSeed, textLength } from "../document-fingerprint.ts";
import type { IndexDocument, IndexedSession } from "../engine.ts";
import { lostTurnDocuments, type SessionDocument, sessionDocuments } from "../session-documents.ts";
import type { KeptLogs, SessionToRead } from "./scan-sources.ts";
import { type LogPlace, type Origin, type SessionRow, sessionRow } from "./session-row.ts";
import { type SpilledOutputs, spilledOutputs } from "./spilled-outputs.ts";

/** Everything needed to read a session for the index; it can be posted to a thread, except for the disk. */
export type IndexLibrary = Pick<Library, "config" | "disk" | "places" | "environment">;

/** How secrets are removed from texts before they are indexed. */
export interface IndexMasking {
  readonly mask: (text: string) => string;
  readonly collectWords: CollectWords;
}

export function createIndexMasking({ config }: Pick<Library, "config">): IndexMasking {
  const { redact, find } = createRedactor({ extra: config.redact });
  return { mask: redact, collectWords: createWordCollector(find) };
}

/**
 * Reads a session and returns its index entry; undefined if it is not a session or excluded. A session that causes an
 * unexpected error is indexed by its name alone, with the reason among its problems.
 */
export function readForIndex(
  library: IndexLibrary,
  session: SessionToRead,
  given: ByteSource,
  isFork: (row: SessionRow) => boolean,
  masking: IndexMasking,
  checkpoints?: CheckpointOptions,
): IndexedSession | undefined {
  try {
    return read(library, session, given, isFork, masking, checkpoints);
  } catch (error) {
    return nameAlone(session, reasonOf(error));
  }
}

function nameAlone({ files, origin, mark }: SessionToRead, reason: string): IndexedSession {
  const { agent, id } = files;
  const path = files.files[0]?.path ?? "";
  const facts = { id, project: null, branch: null, version: null, firstAt: null, lastAt: null };
  const problems = [{ path, line: 0, what: `cannot be indexed: ${reason}` }];
  const session = createSessionBuilder("last-entry").finish({ agent, id, facts, lines: 0, problems });
  return indexSession(session, files, { origin, mark, isFork: () => false, mask: (text) => text });
}

function read(
  library: IndexLibrary,
  { files, origin, mark, kept, machines = {}, source: archived }: SessionToRead,
  given: ByteSource,
  isFork: (row: SessionRow) => boolean,
  { mask, collectWords }: IndexMasking,
  checkpoints?: CheckpointOptions,
): IndexedSession | undefined {
  const source = withHeadOnce(withBases(library, given));
  const found = identifySession(source, files);
  const identified = found && withoutExcluded(library, source, found);
  if (identified === undefined) return undefined;
  const limits = {
    ...defaultTextLimits,
    outputChars: library.config.index.outputChars,
    inputChars: 0,
    thinkingChars: 0,
  };
  const parsed =
    checkpoints === undefined || archived !== undefined
      ? undefined
      : createParseCheckpoints(library, limits, sessionSchema.analysisVersion, checkpoints);
  const log = readSession(source, identified, limits, parsed, collectWords);
  const read = namedIfNoise(log, source, identified);
  const session = { ...read, ...findCheckout(library.disk, library.environment.home, read) };
  if (isExcluded(library, session)) return undefined;
  const isElsewhere = Object.keys(machines).length > 0;
  const eachEarlier = earlierStates(library, identified, limits, collectWords, isElsewhere);
  const seed = fingerprintSeed(source, identified, library.config.redact);
  const logs = logPlaces(library, source, identified, { kept: kept?.paths ?? [], machines }, mask);
  const spilled = spilledOutputs(source, identified.files, collectWords);
  const machine = machineOf(identified, machines);
  const options = { origin, mark, isFork, mask, eachEarlier, seed, logs, kept, spilled, machine };
  return indexSession(session, identified, options);
}

/** The machine that a session belongs to; undefined if any of its logs belongs to this one. */
function machineOf({ files }: SessionFiles, machines: MachinesOfLogs): string | undefined {
  const logs = files.filter(({ role }) => role === "main");
  const names = (logs.length > 0 ? logs : files).map(({ path }) => machines[path]);
  return names.every((name) => name !== undefined) ? names[0] : undefined;
}

/** Reads the head of a log once: it is needed to identify the session and for the fingerprint seed. */
function withHeadOnce(source: ByteSource): ByteSource {
  let known: { readonly path: string; readonly head: Buffer } | undefined;
  return {
    ...source,
    head: (path, from = 0) => {
      if (from > 0) return source.head(path, from);
      if (known?.path !== path) known = { path, head: source.head(path) };
      return known.head;
    },
  };
}

/** The places of the logs of a session, and their sessions by their first lines; undefined if there is only one log. */
function logPlaces(
  { disk, environment }: IndexLibrary,
  source: ByteSource,
  { agent, files }: SessionFiles,
  { kept, machines }: { readonly kept: readonly string[]; readonly machines: MachinesOfLogs },
  mask: (text: string) => string,
): readonly LogPlace[] | undefined {
  const logs = files.filter(({ role }) => role === "main");
  if (logs.length < 2) return undefined;
  return logs.map(({ path }) => {
    const maskedPath = mask(path);
    const facts = factsInHead(agent, path, source.head(path));
    const { project } = facts;
    return {
      path,
      ...(maskedPath === path ? {} : { maskedPath }),
      ...maskDeep({ project, ...findCheckout(disk, environment.home, facts) }, mask),
      ...(kept.includes(path) ? { isKept: true } : {}),
      ...(machines[path] === undefined ? {} : { machine: machines[path] }),
    };
  });
}

interface IndexOptions {
  readonly origin: Origin;
  readonly mark: string;
  /** Whether it shares its first turn with a session that ended before it: then it is a fork. */
  readonly isFork: (row: SessionRow) => boolean;
  readonly mask: (text: string) => string;
  /** Earlier states of its log, before it was shrunk; absent if it never was. */
  readonly eachEarlier?: EachEarlier | undefined;
  /** Absent: fingerprints are built from the masked texts. */
  readonly seed?: FingerprintSeed | undefined;
  /** Where its logs are, if there are several. */
  readonly logs?: readonly LogPlace[] | undefined;
  readonly kept?: KeptLogs | undefined;
  readonly spilled?: SpilledOutputs;
  readonly machine?: string | undefined;
}

/** Builds the index entry of a session. Secrets are masked. */
export function indexSession(log: Session, files: SessionFiles, options: IndexOptions): IndexedSession {
  const { eachEarlier } = options;
  const { session, lost } =
    eachEarlier === undefined ? { session: log, lost: [] } : withShrunkAway(log, eachEarlier);
  const digest = maskDeep(extractDigest(session), options.mask);
  const plain = sessionRow(digest, session.problems, files, options.origin, options.mark);
  const maskedLead = plain.lead === null ? null : options.mask(plain.lead);
  const { logs, kept, machine } = options;
  const row = {
    ...plain,
    ...(maskedLead === null || maskedLead === plain.lead ? {} : { maskedLead }),
    ...(logs === undefined ? {} : { logs }),
    ...(kept === undefined ? {} : { kept: kept.state }),
    ...(machine === undefined ? {} : { machine: options.mask(machine) }),
  };
  const isFork = options.isFork(row);
  const all = [...sessionDocuments(session, digest, isFork), ...lostTurnDocuments(session, lost, isFork)];
  const documents = all.map((document) =>
    document.turn === 0 ? maskedCard(document, options.mask) : masked(document, options),
  );
  const stored = { ...digest, activity: comparedMessages(digest.activity) };
  return { key: sessionKey(session), row: JSON.stringify(row), digest: JSON.stringify(stored), documents };
}

/** A log of nothing but zeros has no wrong line and no right one; it is reported nevertheless. */
function namedIfNoise(session: Session, source: ByteSource, { files: [lead] }: SessionFiles): Session {
  const { user, assistant, tool } = session.counts;
  const isRead = session.turns.length + user + assistant + tool + session.problems.length > 0;
  if (isRead || lead === undefined || lead.role !== "main") return session;
  if (!isUnreadable(lead.path, source.head)) return session;
  return { ...session, problems: [{ path: lead.path, line: 1, what: "no line of it can be read" }] };
}

/** Masks what a card has from the session itself: labels and tags. The rest is from the digest, which is masked. */
function maskedCard({ fields, ...rest }: IndexDocument, mask: (text: string) => string): IndexDocument {
  return { ...rest, fields: fields.tool === undefined ? fields : { ...fields, tool: mask(fields.tool) } };
}

/**
 * Masks the document of a turn. Masking takes as long as everything else together, so with a seed the fingerprint is built from the
 * plain texts, and a document that the index has already is never masked.
 */
function masked(document: SessionDocument, { mask, seed, spilled }: IndexOptions): IndexDocument {
  const { fields: plain, spilled: paths = [], ...rest } = document;
  const read = (): IndexDocument["fields"] => {
    const words = [plain[WORDS_FIELD] ?? "", spilled?.wordsOf(paths) ?? ""].filter((each) => each !== "");
    const texts = maskFields(plain, mask);
    return words.length === 0 ? texts : { ...texts, [WORDS_FIELD]: words.join(" ") };
  };
  if (seed === undefined) return { ...rest, fields: read() };
  let fields: IndexDocument["fields"] | undefined;
  const marked = { ...plain, spilled: spilled?.markOf(paths) ?? "" };
  return {
    ...rest,
    fingerprint: documentFingerprint({ ...rest, fields: marked }, seed),
    chars: textLength(document),
    get fields() {
      fields ??= read();
      return fields;
    },
  };
}

/** Collected words are already without secrets; side by side, a word may look like the value of the one before it. */
function maskFields(plain: IndexDocument["fields"], mask: (text: string) => string): IndexDocument["fields"] {
  const { [WORDS_FIELD]: _, ...texts } = plain;
  return maskDeep(texts, mask);
}

/**
 * Reads the archived generations of a session, the oldest first; undefined if nothing ever shrank it. Parts that
 * generations share with each other, or with the present log, are read once. Damaged generations are left out: the
 * words of the log are found nevertheless.
 */
function earlierStates(
  library: Pick<Library, "disk" | "places">,
  files: SessionFiles,
  limits: TextLimits,
  collectWords: CollectWords,
  isElsewhere: boolean,
): EachEarlier | undefined {
  // It is not known here which logs other machines and their agents have shrunk.
  const mayBeShrunk =
    isElsewhere ||
    agentNamed(files.agent).compactsLogs === true ||
    rewrittenLogs(library.disk, library.places.rewrites, files).length > 0;
  if (!mayBeShrunk) return undefined;
  const archive = openArchive(library);
  return (take) => {
    const read = new Set<string>();
    const isHere = (kept: KeptSession): boolean =>
      kept.files.every((file) => files.files.some((each) => each.path === file.path && sameMark(each, file)));
    for (const log of archive.copies(files)) {
      for (const generation of archive.get(log)?.generations ?? []) {
        const kept = archive.get(log, generation);
        if (kept === undefined || isHere(kept)) continue;
        const content = kept.files.map(({ sha256 }) => sha256).join(" ");
        if (read.has(content)) continue;
        read.add(content);
        try {
          take(
            readSession(
              archiveSource(() => kept),
              sessionFilesOf(kept),
              limits,
              undefined,
              collectWords,
            ),
          );
        } catch (error) {
          if (!(error instanceof ArchiveDamage)) throw error;
        }
      }
    }
  };
}

/** This much of a log has dozens of random ids. */
const HEAD_BYTES = 16 * 1024;

/**
 * Derives the seed for fingerprints of a session's plain texts from the start of its log. The index has the fingerprints
 * next to the masked texts: without a seed, a short secret could be guessed by trying until the fingerprint matches.
 * Returns undefined if the log is too short. Other redaction settings give another seed.
 */
function fingerprintSeed(
  source: ByteSource,
  { files }: SessionFiles,
  redact: readonly string[],
): FingerprintSeed | undefined {
  const head = files[0] === undefined ? undefined : source.head(files[0].path);
  if (head === undefined || head.length < HEAD_BYTES) return undefined;
  const hash = createHash("sha256").update(JSON.stringify(redact)).update(head.subarray(0, HEAD_BYTES));
  const bytes = hash.digest();
  return [bytes.readInt32LE(0), bytes.readInt32LE(4)];
}
