import { Buffer } from "node:buffer";
import { dirname, join } from "node:path";
import { type JsonSpan, jsonString, memberAt, scanJsonLine, stringOf } from "../../jsonl/json-spans.ts";
import type { RawLine } from "../../jsonl/lines.ts";
import { type Edit, planEdits, rewrittenBytes } from "../../jsonl/rewrite-plan.ts";
import type { Fork, ForkRequest } from "../agent-actions.ts";

const LF = Buffer.from("\n");

/**
 * Forks like Pi: a header with a new id and the path of the original, and the entries unchanged. Their ids are unique
 * only within the file.
 */
export function forkPi({ path, uuid, now }: ForkRequest): Fork {
  const id = uuid();
  const at = new Date(now).toISOString();
  return {
    id,
    path: join(dirname(path), `${at.replace(/[:.]/g, "-")}_${id}.jsonl`),
    *content(lines) {
      let hasHeader = false;
      for (const line of lines()) {
        const spans = scanJsonLine(line.bytes);
        // A line that was being written during the copy belongs to the original alone.
        if (!line.ended && spans.length === 0) continue;
        const header = hasHeader ? undefined : headerOf(line, spans);
        if (header === undefined) yield Buffer.from(line.bytes);
        else {
          hasHeader = true;
          yield* headerBytes(line, header, { id, timestamp: at, parentSession: path });
        }
        yield LF;
      }
    },
  };
}

function headerOf({ bytes }: RawLine, spans: readonly JsonSpan[]): JsonSpan | undefined {
  return spans.find((span) => stringOf(bytes, memberAt(span, "type")) === "session");
}

function* headerBytes(
  { bytes }: RawLine,
  header: JsonSpan,
  values: Readonly<Record<string, string>>,
): Generator<Uint8Array> {
  const edits: Edit[] = [];
  const added: string[] = [];
  for (const [key, text] of Object.entries(values)) {
    const value = memberAt(header, key);
    if (value === undefined) added.push(`,${JSON.stringify(key)}:${JSON.stringify(text)}`);
    else edits.push({ from: value.start, to: value.end, with: jsonString(text) });
  }
  edits.push({ from: header.end - 1, to: header.end - 1, with: Buffer.from(added.join("")) });
  edits.sort((a, b) => a.from - b.from);
  yield* rewrittenBytes(planEdits(edits, bytes.length), [bytes]);
}
