import { Buffer } from "node:buffer";
import { type JsonSpan, jsonString, lengthOf } from "../../jsonl/json-spans.ts";
import type { Edit } from "../../jsonl/rewrite-plan.ts";

/** Longer strings become the placeholder; longer lists become empty ones. */
const MAX_STRING = 256;
const MAX_LIST = 512;

const EMPTY_LIST = Buffer.from("[]");

/**
 * Makes the copy of a result small without changing its shape: the agent's display takes it apart by
 * its keys, and fails where a list is none any more.
 */
export function shrinkCopy(copy: JsonSpan, placeholder: string): readonly Edit[] {
  return shrink(copy, jsonString(placeholder)).edits;
}

interface Shrunk {
  readonly edits: readonly Edit[];
  readonly length: number;
}

function shrink(span: JsonSpan, placeholder: Buffer): Shrunk {
  const length = lengthOf(span);
  switch (span.kind) {
    case "string":
      return length > MAX_STRING ? replaced(span, placeholder) : { edits: [], length };
    case "array": {
      const inner = together(span.items, length, placeholder);
      return inner.length > MAX_LIST ? replaced(span, EMPTY_LIST) : inner;
    }
    case "object":
      return together(
        span.members.map(({ value }) => value),
        length,
        placeholder,
      );
    default:
      return { edits: [], length };
  }
}

function together(spans: readonly JsonSpan[], length: number, placeholder: Buffer): Shrunk {
  const shrunk = spans.map((span) => ({ before: lengthOf(span), ...shrink(span, placeholder) }));
  return {
    edits: shrunk.flatMap(({ edits }) => edits),
    length: shrunk.reduce((sum, { before, length: after }) => sum - before + after, length),
  };
}

function replaced({ start, end }: JsonSpan, by: Buffer): Shrunk {
  return { edits: [{ from: start, to: end, with: by }], length: by.length };
}
