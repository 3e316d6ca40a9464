import { readFileSync } from "node:fs";
import type { PendingItem } from "../../src/extract/digest.ts";
import { openHistory } from "../../src/index.ts";

/** Something that a session leaves open, in words of its log, as somebody found it who read the end of the log. */
export interface LabelledItem {
  readonly quote: string;
  readonly source: PendingItem["source"];
  /** To list it is right, and so is to leave it out: it is generic, or the same as another item. */
  readonly optional?: boolean;
}

export interface LabelledSession {
  readonly agent: string;
  readonly sessionId: string;
  /** `held-out` was not looked at while the rules were made. */
  readonly set: "dev" | "held-out";
  /** False where reasonable people would differ. */
  readonly sure: boolean;
  /** It was chosen because something is open, and not drawn at random: it says nothing about precision. */
  readonly extra?: boolean;
  readonly open: readonly LabelledItem[];
}

/** An item that is listed, and the session that left it open. */
export interface ShownItem extends Pick<PendingItem, "text" | "turn" | "source"> {
  readonly agent: string;
  readonly sessionId: string;
}

export const labelledSessions: readonly LabelledSession[] = JSON.parse(
  readFileSync(new URL("pending-labels.json", import.meta.url), "utf8"),
);

/** Indexes the logs of a home into a store of their own and lists all open work, as the command would. */
export async function shownItems(home: string, store: string): Promise<readonly ShownItem[]> {
  const history = await openHistory({ home, env: { SESSIONS_HOME: store }, now: Date.now });
  const { sessions } = await history.pending({ everywhere: true });
  return sessions.flatMap(({ row, items }) =>
    items.map(({ text, turn, source }) => ({
      agent: row.digest.agent,
      sessionId: row.digest.id,
      text,
      turn,
      source,
    })),
  );
}

/** What is right and wrong for one session. */
export interface Outcome {
  readonly session: LabelledSession;
  readonly right: readonly ShownItem[];
  readonly wrong: readonly ShownItem[];
  readonly missed: readonly LabelledItem[];
}

export function judge(sessions: readonly LabelledSession[], items: readonly ShownItem[]): readonly Outcome[] {
  return sessions.map((session) => {
    const own = items.filter(
      ({ agent, sessionId }) => agent === session.agent && sessionId === session.sessionId,
    );
    const labelsOf = ({ text }: ShownItem): readonly LabelledItem[] =>
      session.open.filter(({ quote }) => isSame(text, quote));
    return {
      session,
      right: own.filter((item) => labelsOf(item).some(({ optional }) => optional !== true)),
      wrong: own.filter((item) => labelsOf(item).length === 0),
      missed: session.open.filter(
        ({ quote, optional }) => optional !== true && !own.some(({ text }) => isSame(text, quote)),
      ),
    };
  });
}

/** An item is what was labelled if one is part of the other, or if they have at least half of their words in common. */
function isSame(text: string, quote: string): boolean {
  const [a, b] = [fold(text), fold(quote)];
  if (a === "" || b === "") return false;
  if (a.includes(b) || b.includes(a)) return true;
  const [words, others] = [new Set(a.split(" ")), new Set(b.split(" "))];
  const common = [...words].filter((word) => others.has(word)).length;
  return common >= Math.max(words.size, others.size) / 2;
}

function fold(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

export interface Figures {
  /** Labelled sessions, and items that are listed for those of them that were drawn at random. */
  readonly sessions: number;
  readonly shown: number;
  /** Shares between 0 and 1: of what is listed what is right; of sessions that leave something open those with a right item; of labelled items those that are listed. */
  readonly precision: number;
  readonly recall: number;
  readonly itemRecall: number;
  readonly withOpenWork: number;
  readonly items: number;
}

export function figuresOf(outcomes: readonly Outcome[]): Figures {
  const drawn = outcomes.filter(({ session }) => session.extra !== true);
  const right = count(drawn, (outcome) => outcome.right.length);
  const shown = right + count(drawn, (outcome) => outcome.wrong.length);
  const open = outcomes.filter(({ session }) => session.open.some(({ optional }) => optional !== true));
  const items = count(open, ({ session }) => session.open.filter(({ optional }) => optional !== true).length);
  const missed = count(open, (outcome) => outcome.missed.length);
  return {
    sessions: outcomes.length,
    shown,
    precision: right / Math.max(1, shown),
    recall: open.filter((outcome) => outcome.right.length > 0).length / Math.max(1, open.length),
    itemRecall: (items - missed) / Math.max(1, items),
    withOpenWork: open.length,
    items,
  };
}

function count(outcomes: readonly Outcome[], of: (outcome: Outcome) => number): number {
  return outcomes.reduce((sum, outcome) => sum + of(outcome), 0);
}
