import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { brotliCompressSync, constants, deflateRawSync } from "node:zlib";
import { createMemoryDisk } from "../../fs/memory-disk.ts";
import type { IndexDocument, IndexedSession } from "../engine.ts";
import { createPostingsArena, decodeGroup, readGroups } from "../paged/postings.ts";
import { openSegment, type Segment, type SegmentDescriptor } from "../paged/segment.ts";
import { createBatchBuilder, descriptorOf } from "../paged/segment-builder.ts";
import type { FieldTable, IndexSchema } from "../ranking/index-schema.ts";
import type { RowAttributes, SessionSource } from "../session-condition.ts";
import { lengthField, termField } from "./index-layout.ts";

/** Who may read a session: only its owner, or everybody who may read the index. */
export type Visibility = "private" | "team";

/** The attributes of every document of a session. */
export interface Ownership extends SessionSource {
  readonly visibility: Visibility;
}

/** A document to be written, by its id. */
export interface ClusterDocument {
  readonly id: string;
  /** JSON. */
  readonly source: string;
}

export interface EncodedSession {
  readonly session: ClusterDocument;
  readonly turns: readonly ClusterDocument[];
  readonly bytes: number;
}

/** The id of a session's document, which no other person's session has. */
export function sessionId({ owner, machine }: SessionSource, key: string): string {
  return hash(["session", owner, machine, key]);
}

export function sourceId({ owner, machine }: SessionSource): string {
  return hash(["source", owner, machine]);
}

function hash(parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url").slice(0, 32);
}

/**
 * Encodes a session. Its segment has the terms and nothing to show, so that many candidates can be ranked; its texts are
 * all that was indexed, from which a hit is shown and another version can be built. `generation` is new with every put:
 * turns of an older one are left over and lead to nothing.
 */
export function encodeSession(
  session: IndexedSession,
  owned: Ownership,
  generation: string,
  schema: IndexSchema,
): EncodedSession {
  const disk = createMemoryDisk(() => 0);
  const builder = createBatchBuilder(disk, "/", withoutTexts(schema), Number.POSITIVE_INFINITY);
  // A fingerprint of plain text stays on this machine.
  const documents = session.documents.map(({ fingerprint: _fingerprint, ...document }) => document);
  builder.put({ key: session.key, row: "", digest: "", documents });
  const [batch] = builder.finish();
  if (batch === undefined) throw new Error("A session without a segment");
  const descriptor = descriptorOf(batch);
  const bytes = disk.readFile(`/${descriptor.file}`, Number.POSITIVE_INFINITY) ?? Buffer.alloc(0);
  const segment = openSegment(disk, "/", descriptor, schema.fields);
  const terms = termsByDocument(segment, schema.fields);
  segment.close();

  const id = sessionId(owned, session.key);
  const turns = documents.filter(({ turn }) => turn > 0);
  const card = documents.find(({ turn }) => turn === 0);
  const attributes = attributesOf(JSON.parse(session.row), card, turns);
  const shared = { ...owned, session: id, generation, ...attributes };
  const lengths = descriptor.totals.lengths.map((length, field) => [lengthField(field), length] as const);
  const texts: SessionTexts = {
    digest: session.digest,
    card: card?.fields ?? {},
    turns: turns.map(({ fields, identity }) => ({ fields, ...(identity === undefined ? {} : { identity }) })),
  };
  const sessionDocument = {
    kind: "session",
    ...shared,
    key: session.key,
    turns: descriptor.totals.turns,
    ...Object.fromEntries(lengths),
    ...terms.card,
    all: terms.all,
    rest: terms.rest,
    row: session.row,
    descriptor,
    segment: deflateRawSync(bytes).toString("base64"),
    texts: brotliCompressSync(JSON.stringify(texts), brotliOptions).toString("base64"),
  };
  const turnDocuments = turns.map(({ at, context }, i) => ({
    id: `${id}.${generation}.${i}`,
    source: JSON.stringify({
      kind: "turn",
      ...shared,
      turnContexts: [context],
      ...(at === null ? { firstTurnAt: null, lastTurnAt: null } : { firstTurnAt: at, lastTurnAt: at }),
      ...terms.turns[i],
    }),
  }));
  const all = [{ id, source: JSON.stringify(sessionDocument) }, ...turnDocuments];
  const size = all.reduce((sum, { source }) => sum + source.length + 100, 0);
  return { session: all[0] ?? { id, source: "" }, turns: turnDocuments, bytes: size };
}

/** All texts of a session, as its document has them, compressed. */
export interface SessionTexts {
  readonly digest: string;
  readonly card: Readonly<Record<string, string>>;
  readonly turns: readonly {
    readonly fields: Readonly<Record<string, string>>;
    readonly identity?: string;
  }[];
}

/** The archive's setting: nearly the best, and fast. */
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

function withoutTexts(schema: IndexSchema): IndexSchema {
  return { ...schema, fields: schema.fields.map((field) => ({ ...field, stored: false })) };
}

interface TermTexts {
  /** The terms of the card and of each turn, by field of the cluster's documents. */
  readonly card: Readonly<Record<string, string>>;
  readonly turns: readonly Readonly<Record<string, string>>[];
  /** The terms of the session, each once; `rest` are terms that are only in texts that are not stored. */
  readonly all: string;
  readonly rest: string;
}

/** Reads the terms of a segment back, as text that is split at spaces again. */
function termsByDocument(segment: Segment, fields: FieldTable): TermTexts {
  const { turns: count } = segment.totals;
  const texts = fields.map((): string[][] => []);
  const all: string[] = [];
  const rest: string[] = [];
  const arena = createPostingsArena();
  for (const { term, offset, length } of segment.dictionary.all()) {
    const bytes = segment.postings(offset, length);
    const groups = readGroups(bytes);
    const isShown = groups.some(
      ({ field }) => fields[field]?.kind === "card" || fields[field]?.stored !== false,
    );
    (isShown ? all : rest).push(term);
    for (const group of groups) {
      arena.length = 0;
      decodeGroup(bytes, group, arena, fields[group.field]?.kind === "card" ? 1 : count);
      for (let i = 0; i < arena.length; i++) {
        const document = arena.docs[i] ?? 0;
        const ofField = texts[group.field];
        if (ofField === undefined) continue;
        ofField[document] ??= [];
        for (let times = Math.min(arena.freqs[i] ?? 1, MOST_TIMES); times > 0; times--)
          ofField[document]?.push(term);
      }
    }
  }
  const textsOf = (kind: "card" | "turn", document: number): Record<string, string> =>
    Object.fromEntries(
      fields.flatMap((field, place) => {
        const words = field.kind === kind ? texts[place]?.[document] : undefined;
        return words === undefined ? [] : [[termField(place), words.join(" ")]];
      }),
    );
  return {
    card: textsOf("card", 0),
    turns: Array.from({ length: count }, (_, turn) => textsOf("turn", turn)),
    all: all.join(" "),
    rest: rest.join(" "),
  };
}

/** More occurrences of the same word in one text do not make it a better candidate. */
const MOST_TIMES = 50;

/** The attributes that sessions are filtered by, on every document. */
function attributesOf(
  row: RowAttributes,
  card: IndexDocument | undefined,
  turns: readonly IndexDocument[],
): object {
  const times = turns.flatMap(({ at }) => (at === null ? [] : [at]));
  // A session without turns is filtered by its own time.
  if (turns.length === 0 && card?.at !== null && card?.at !== undefined) times.push(card.at);
  const projects = (row.logs ?? [row]).flatMap(({ project, repository }) => [project, repository]);
  return {
    agent: row.agent,
    projects: [...new Set(projects.flatMap((path) => (path ? [comparablePath(path)] : [])))],
    branch: row.branch?.toLowerCase() ?? null,
    tools: Object.keys(row.tools ?? {}).map((tool) => tool.toLowerCase()),
    contexts: row.contexts ?? [],
    title: row.title?.toLowerCase().slice(0, MAX_TITLE) ?? null,
    startedAt: row.startedAt ?? null,
    endedAt: row.endedAt ?? null,
    activeAt: card?.at ?? null,
    turnContexts: [...new Set(turns.map(({ context }) => context))],
    firstTurnAt: times.length === 0 ? null : times.reduce((a, b) => Math.min(a, b)),
    lastTurnAt: times.length === 0 ? null : times.reduce((a, b) => Math.max(a, b)),
  };
}

/** The maximum length of a keyword in the cluster. */
const MAX_TITLE = 2_000;

/**
 * A path in the form in which projects are compared: see fs/glob.ts. The lookbehind keeps a long run from being tried at
 * each of its characters.
 */
export function comparablePath(path: string): string {
  return path
    .replaceAll("\\", "/")
    .replace(/(?<=[^/]|^\/)\/+$/, "")
    .toLowerCase();
}

/** A session in the cluster's answer. */
export interface ReceivedSession {
  readonly id: string;
  readonly key: string;
  readonly source: SessionSource;
  readonly visibility: Visibility;
  readonly row: string;
  readonly turns: number;
  readonly descriptor: SegmentDescriptor;
  readonly segment: Buffer;
}
