import { Buffer } from "node:buffer";
import type { Disk } from "../../fs/disk.ts";
import { documentFingerprint } from "../document-fingerprint.ts";
import type { BatchBuilder, IndexBatch, IndexDocument, IndexedSession } from "../engine.ts";
import type { IndexSchema } from "../ranking/index-schema.ts";
import { encodeFlags, hashIdentity } from "../ranking/index-schema.ts";
import { type CountedTerm, cardFieldFingerprint, type ReusedCardFields } from "./reuse-turns.ts";
import type { SegmentDescriptor } from "./segment.ts";
import { createSegmentWriter } from "./segment-writer.ts";
import { createTextScratch, encodeDocumentText, storedFields } from "./stored-blocks.ts";
import { createTermAccumulator } from "./term-accumulator.ts";

/** Builds one segment from sessions. Texts go to the disk at once; terms stay in memory. */
interface SegmentBuilder {
  /** `cardTerms`: terms of card fields that need no analysis. */
  put(session: IndexedSession, cardTerms?: ReusedCardFields): void;
  /** The approximate memory that it uses. */
  readonly bytes: number;
  finish(): SegmentDescriptor;
  abandon(): void;
}

const noCard: IndexDocument = { turn: 0, at: null, context: "current", fields: {} };

function createSegmentBuilder(disk: Disk, folder: string, schema: IndexSchema): SegmentBuilder {
  const { fields } = schema;
  const writer = createSegmentWriter(disk, folder, fields);
  const terms = createTermAccumulator();
  const analyze = schema.createAnalyzer(terms);
  const scratch = createTextScratch();
  const beside = { card: storedFields(fields, "card", true), turn: storedFields(fields, "turn", true) };
  const apart = storedFields(fields, "turn", "apart");
  const rows: Buffer[] = [];
  let rowBytes = 0;
  const keys: string[] = [];
  const turnStarts: number[] = [0];
  const cardTimes: number[] = [];
  const turnTimes: number[] = [];
  const turnNumbers: number[] = [];
  const turnFlags: number[] = [];
  const turnIdentities: number[] = [];
  const turnFingerprints: number[] = [];
  const cardFingerprints: number[][] = fields.map(() => []);
  const fieldLengths: number[][] = fields.map(() => []);
  /** By document in the order of arrival, its number among the documents of its kind. */
  const documents: number[] = [];

  const takeTerms = (text: string, known: readonly CountedTerm[] | undefined): void => {
    if (known === undefined) analyze(text);
    else for (const { term, count } of known) terms.addTimes(term, count);
  };

  const indexFields = (
    kind: "card" | "turn",
    number: number,
    document: IndexDocument,
    cardTerms?: ReusedCardFields,
  ): void => {
    for (let place = 0; place < fields.length; place++) {
      const field = fields[place];
      if (field?.kind !== kind) continue;
      const text = document.fields[field.name];
      let length = 0;
      if (text !== undefined && text !== "") {
        terms.beginField(documents.length, place);
        takeTerms(text, cardTerms?.get(place));
        length = terms.endField();
      }
      if (kind === "card") cardFingerprints[place]?.push(cardFieldFingerprint(text));
      fieldLengths[place]?.push(length);
    }
    documents.push(number);
    encodeDocumentText(scratch, beside[kind], document.fields);
    (kind === "card" ? writer.cardTexts : writer.turnTexts).add(scratch.view());
    if (kind === "card") return;
    encodeDocumentText(scratch, apart, document.fields);
    writer.turnTextsApart.add(scratch.view());
  };

  const putTurn = (turn: IndexDocument): void => {
    indexFields("turn", turnNumbers.length, turn);
    turnNumbers.push(turn.turn);
    turnTimes.push(turn.at ?? Number.NaN);
    turnFlags.push(encodeFlags(turn.context, turn.copied === true));
    turnIdentities.push(turn.identity === undefined ? 0 : hashIdentity(turn.identity));
    turnFingerprints.push(turn.fingerprint ?? documentFingerprint(turn));
  };

  return {
    put(session, cardTerms) {
      const card = session.documents.find((document) => document.turn === 0) ?? noCard;
      indexFields("card", keys.length, card, cardTerms);
      for (const document of session.documents) if (document.turn > 0) putTurn(document);
      keys.push(session.key);
      turnStarts.push(turnNumbers.length);
      cardTimes.push(card.at ?? Number.NaN);
      const row = Buffer.from(session.row);
      rows.push(row);
      rowBytes += row.length;
      writer.digests.add(Buffer.from(session.digest));
    },
    get bytes() {
      return terms.bytes + rowBytes + keys.length * 200 + turnNumbers.length * (40 + 8 * fields.length);
    },
    finish: () =>
      writer.finish(
        {
          keys,
          turnStarts,
          cardTimes,
          turnTimes,
          turnNumbers,
          turnFlags,
          turnIdentities,
          turnFingerprints,
          cardFingerprints,
          fieldLengths,
        },
        rows,
        (dictionary, postings) => terms.drain(Uint32Array.from(documents), dictionary, postings),
      ),
    abandon: () => writer.abandon(),
  };
}

/** Memory at which a segment is finished and the next one started: about 60 MB of text. */
const MAX_BYTES: number = 32 * 1024 * 1024;

interface SegmentBatch extends IndexBatch {
  readonly content: SegmentDescriptor;
}

interface SegmentBatchBuilder extends BatchBuilder {
  put(session: IndexedSession, cardTerms?: ReusedCardFields): void;
}

/**
 * Builds segments in a folder. No reader sees them before a commit names them; the next writer removes what a killed
 * builder leaves behind.
 */
export function createBatchBuilder(
  disk: Disk,
  folder: string,
  schema: IndexSchema,
  maxBytes: number = MAX_BYTES,
): SegmentBatchBuilder {
  const finished: SegmentBatch[] = [];
  let builder: SegmentBuilder | undefined;

  const finish = (): void => {
    if (builder === undefined) return;
    const complete = builder;
    builder = undefined;
    finished.push({ kind: "batch", content: complete.finish() });
  };

  return {
    put(session, cardTerms) {
      builder ??= createSegmentBuilder(disk, folder, schema);
      builder.put(session, cardTerms);
      if (builder.bytes > maxBytes) finish();
    },
    finish() {
      finish();
      return finished.splice(0);
    },
    abandon() {
      builder?.abandon();
      builder = undefined;
    },
  };
}

export function descriptorOf(batch: IndexBatch): SegmentDescriptor {
  if (!isSegmentBatch(batch)) throw new TypeError("A batch must come from createBatchBuilder()");
  return batch.content;
}

function isSegmentBatch(batch: IndexBatch): batch is SegmentBatch {
  const { content } = batch;
  return typeof content === "object" && content !== null && "file" in content && "directorySum" in content;
}
