import { Buffer } from "node:buffer";
import type { Disk } from "../../fs/disk.ts";
import type { BatchBuilder, IndexBatch, IndexDocument, IndexedSession } from "../engine.ts";
import { documentSum } from "../ranking/document-sum.ts";
import type { IndexSchema } from "../ranking/index-schema.ts";
import { encodeFlags, hashIdentity } from "../ranking/turn-flags.ts";
import { type CountedTerm, fieldSum, type ReusedCardFields } from "./reuse-turns.ts";
import type { SegmentDescriptor } from "./segment-writer.ts";
import { createSegmentWriter } from "./segment-writer.ts";
import { createTextScratch, encodeDocumentText, keptFields } from "./stored-blocks.ts";
import { createTermAccumulator } from "./term-accumulator.ts";

/** Takes sessions and makes one segment of them. Texts go to the disk at once; terms stay in memory. */
interface SegmentBuilder {
  /** `carried`: terms of fields of the card that need no analysis. */
  put(session: IndexedSession, carried?: ReusedCardFields): void;
  /** About how much memory is in use. */
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
  const beside = { card: keptFields(fields, "card", true), turn: keptFields(fields, "turn", true) };
  const apart = keptFields(fields, "turn", "apart");
  const rows: Buffer[] = [];
  let rowBytes = 0;
  const keys: string[] = [];
  const turnStarts: number[] = [0];
  const cardTimes: number[] = [];
  const turnTimes: number[] = [];
  const turnNumbers: number[] = [];
  const turnFlags: number[] = [];
  const turnIdentities: number[] = [];
  const turnSums: number[] = [];
  const cardSums: number[][] = fields.map(() => []);
  const fieldLengths: number[][] = fields.map(() => []);
  /** Cards and turns are numbered each on their own; terms see them all in the order in which they come. */
  const documents: number[] = [];

  const takeTerms = (text: string, known: readonly CountedTerm[] | undefined): void => {
    if (known === undefined) analyze(text);
    else for (const { term, count } of known) terms.addTimes(term, count);
  };

  const indexFields = (
    kind: "card" | "turn",
    number: number,
    document: IndexDocument,
    carried?: ReusedCardFields,
  ): void => {
    for (let place = 0; place < fields.length; place++) {
      const field = fields[place];
      if (field?.kind !== kind) continue;
      const text = document.fields[field.name];
      let length = 0;
      if (text !== undefined && text !== "") {
        terms.beginField(documents.length, place);
        takeTerms(text, carried?.get(place));
        length = terms.endField();
      }
      if (kind === "card") cardSums[place]?.push(fieldSum(text));
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
    turnSums.push(turn.sum ?? documentSum(turn));
  };

  return {
    put(session, carried) {
      const card = session.documents.find((document) => document.turn === 0) ?? noCard;
      indexFields("card", keys.length, card, carried);
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
          turnSums,
          cardSums,
          fieldLengths,
        },
        rows,
        (dictionary, postings) => terms.drain(Uint32Array.from(documents), dictionary, postings),
      ),
    abandon: () => writer.abandon(),
  };
}

/** Memory at which a segment is finished and the next one begun: about 60 MB of text. */
const MAX_BYTES: number = 32 * 1024 * 1024;

interface SegmentBatch extends IndexBatch {
  readonly content: SegmentDescriptor;
}

interface SegmentBatchBuilder extends BatchBuilder {
  put(session: IndexedSession, carried?: ReusedCardFields): void;
}

/**
 * Builds segments in a folder, in this thread. Nobody sees them before a commit names them; what a
 * killed builder leaves behind is removed by the next writer.
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
    put(session, carried) {
      builder ??= createSegmentBuilder(disk, folder, schema);
      builder.put(session, carried);
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
