import { Buffer } from "node:buffer";
import { continuationText } from "../../extract/continuation.ts";
import { type Edit, planEdits, type RewritePlan } from "../../jsonl/rewrite-plan.ts";
import type { ClawCut } from "./claw-compaction.ts";
import type { ClawLog } from "./read-claw-log.ts";

/** Puts a summary in the place of messages: what stays, stays byte for byte. */
export function planClawCompaction(
  log: ClawLog,
  { removedFrom, keptFrom }: ClawCut,
  summary: string,
): RewritePlan {
  const text = continuationText(summary);
  const message = JSON.stringify({ blocks: [{ text, type: "text" }], role: "system" });
  const record = { count: log.compactions + 1, removed_message_count: keptFrom - removedFrom, summary };
  const edits =
    log.form === "whole"
      ? wholeEdits(log, keptFrom, message, record)
      : lineEdits(log, keptFrom, message, record);
  // A whole file that grew was written anew; lines that came behind the others go on standing there.
  return planEdits(
    edits.toSorted((a, b) => a.from - b.from),
    log.bytes.length,
    log.form === "whole" ? "give-up" : "carry",
  );
}

function wholeEdits(
  { messages, compaction, compactionAt }: ClawLog,
  keptFrom: number,
  message: string,
  record: object,
): readonly Edit[] {
  const first = messages[0];
  const last = messages.at(-1);
  if (first === undefined || last === undefined) return [];
  const kept = messages[keptFrom];
  const value = JSON.stringify(record);
  return [
    compaction === undefined
      ? { from: compactionAt, to: compactionAt, with: Buffer.from(`"compaction":${value},`) }
      : { from: compaction.from, to: compaction.to, with: Buffer.from(value) },
    {
      from: first.from,
      to: kept?.from ?? last.to,
      with: Buffer.from(kept === undefined ? message : `${message},`),
    },
  ];
}

/** Prompts may stand between messages: line by line. */
function lineEdits(
  { bytes, messages, compaction, compactionAt }: ClawLog,
  keptFrom: number,
  message: string,
  record: object,
): readonly Edit[] {
  const line = (text: string): Buffer => Buffer.from(`${text}\n`);
  const ended = compactionAt === 0 || bytes[compactionAt - 1] === 0x0a ? "" : "\n";
  const place = compaction ?? { from: compactionAt, to: compactionAt };
  return [
    {
      ...place,
      with: line(
        `${compaction === undefined ? ended : ""}${JSON.stringify({ ...record, type: "compaction" })}`,
      ),
    },
    ...messages.slice(0, keptFrom).map(
      ({ from, to }, at): Edit => ({
        from,
        to,
        with: at === 0 ? line(`{"message":${message},"type":"message"}`) : Buffer.alloc(0),
      }),
    ),
  ];
}
