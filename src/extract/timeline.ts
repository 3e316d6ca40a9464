import type { Session } from "../session/session.ts";
import { shorten } from "./pending.ts";

export interface TimelineRow {
  readonly turn: number;
  readonly role: "user" | "assistant" | "tool" | "summary";
  readonly text: string;
}

const ROW_CHARS = 160;
const CURRENT_WORK_CHARS = 200;

/** Every message in one line. */
export function extractTimeline(session: Session): readonly TimelineRow[] {
  return session.turns.flatMap((turn) => {
    const rows: TimelineRow[] = [{ turn: turn.number, role: "user", text: shorten(turn.request, ROW_CHARS) }];
    for (const step of turn.steps) {
      if (step.kind === "reply")
        rows.push({ turn: turn.number, role: "assistant", text: shorten(step.text, ROW_CHARS) });
      else if (step.kind === "summary")
        rows.push({ turn: turn.number, role: "summary", text: shorten(step.text, ROW_CHARS) });
      else if (step.kind === "tool") {
        const what = step.call.command ?? step.call.files[0]?.path ?? step.call.input;
        const failed = step.call.result?.isError === true ? " (error)" : "";
        rows.push({
          turn: turn.number,
          role: "tool",
          text: shorten(`${step.call.name}: ${what}${failed}`, ROW_CHARS),
        });
      }
    }
    return rows;
  });
}

/** The most recent text of the conversation: what was being done. */
export function currentWork(session: Session): string | null {
  for (let index = session.turns.length - 1; index >= 0; index--) {
    const turn = session.turns[index];
    if (turn === undefined || turn.context === "branch") continue;
    const reply = turn.steps.findLast((step) => step.kind === "reply" && step.text.trim() !== "");
    const text = reply?.kind === "reply" ? reply.text : turn.request;
    if (text.trim() !== "") return shorten(text, CURRENT_WORK_CHARS);
  }
  return null;
}
