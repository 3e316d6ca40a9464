import { Buffer } from "node:buffer";
import { dirname, extname, join } from "node:path";
import { type JsonObjectSpan, memberAt, scanJsonLine, stringOf } from "../../jsonl/json-spans.ts";
import type { RawLine } from "../../jsonl/lines.ts";
import { type Edit, planEdits, rewrittenBytes } from "../../jsonl/rewrite-plan.ts";
import type { Fork, ForkRequest } from "../agent-actions.ts";
import { wholeFile } from "./read-log.ts";

const LF = Buffer.from("\n");

/** Forks like claw-code: a new id, and the original's id in the header; messages are unchanged. */
export function forkClaw({ id: parent, path, now }: ForkRequest): Fork {
  const id = `session-${now}-0`;
  const values = {
    created_at_ms: now,
    fork: { parent_session_id: parent },
    session_id: id,
    updated_at_ms: now,
  };
  return {
    id,
    path: join(dirname(path), `${id}${extname(path)}`),
    *content(lines) {
      const bytes = joined(lines());
      const whole = wholeFile(bytes);
      if (whole !== undefined) {
        yield* withValues(bytes, whole, values);
        return;
      }
      const header = headerOf(bytes);
      if (header === undefined)
        yield Buffer.from(`${JSON.stringify({ ...values, type: "session_meta", version: 1 })}\n`);
      yield* header === undefined ? [bytes] : withValues(bytes, header, values);
    },
  };
}

function joined(lines: Iterable<RawLine>): Buffer {
  const parts: Buffer[] = [];
  for (const { bytes, ended } of lines) parts.push(Buffer.from(bytes), ...(ended ? [LF] : []));
  return Buffer.concat(parts);
}

/** claw-code writes it first. */
function headerOf(bytes: Buffer): JsonObjectSpan | undefined {
  const end = bytes.indexOf(LF);
  const [span] = scanJsonLine(end === -1 ? bytes : bytes.subarray(0, end));
  return span?.kind === "object" && stringOf(bytes, memberAt(span, "type")) === "session_meta"
    ? span
    : undefined;
}

function* withValues(
  bytes: Buffer,
  object: JsonObjectSpan,
  values: Readonly<Record<string, unknown>>,
): Generator<Uint8Array> {
  const edits: Edit[] = [];
  const added: string[] = [];
  for (const [key, value] of Object.entries(values)) {
    const span = memberAt(object, key);
    if (span === undefined) added.push(`${JSON.stringify(key)}:${JSON.stringify(value)},`);
    else edits.push({ from: span.start, to: span.end, with: Buffer.from(JSON.stringify(value)) });
  }
  // Both kinds of object have other members after these.
  edits.push({ from: object.start + 1, to: object.start + 1, with: Buffer.from(added.join("")) });
  edits.sort((a, b) => a.from - b.from);
  yield* rewrittenBytes(planEdits(edits, bytes.length), [bytes]);
}
