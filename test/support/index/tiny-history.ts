import type { IndexDocument, IndexedSession, SearchAnswer, SessionHit } from "../../../src/search/engine.ts";
import type { Clause, SearchPlan, WordClause } from "../../../src/search/ranking/search-plan.ts";
import { applyChanges, engineIn, mustRead, withIndexFolder } from "./index-folder.ts";

export interface TinyTurn extends Partial<Omit<IndexDocument, "turn" | "fields">> {
  readonly request?: string;
  readonly reply?: string;
  readonly errors?: string;
  readonly output?: string;
}

/** A session in a few words: its title, then its turns. */
export function session(
  key: string,
  title: string,
  turns: readonly (string | TinyTurn)[],
  at: number | null = null,
): IndexedSession {
  return {
    key,
    row: JSON.stringify({ key, title }),
    digest: JSON.stringify({ key, digest: true }),
    documents: [
      { turn: 0, at, context: "current", fields: { title } },
      ...turns.map((turn, i): IndexDocument => {
        const { request, reply, errors, output, ...place } =
          typeof turn === "string" ? { request: turn } : turn;
        const fields = Object.fromEntries(
          Object.entries({ request, reply, errors, output }).filter(([, text]) => text !== undefined),
        );
        return { turn: i + 1, at: null, context: "current", ...place, fields: toStrings(fields) };
      }),
    ],
  };
}

function toStrings(fields: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).map(([name, text]) => [name, text ?? ""]));
}

export function word(text: string, more: Partial<WordClause> = {}): WordClause {
  return { kind: "word", terms: [text], ...more };
}

export function phrase(text: string): Clause {
  return { kind: "phrase", text, terms: text.split(" ") };
}

export function words(text: string): Clause[] {
  return text.split(" ").map((term) => word(term));
}

export function planFor(wanted: readonly Clause[], more: Partial<SearchPlan> = {}): SearchPlan {
  return {
    clauses: wanted,
    excluded: [],
    filter: {},
    sort: "relevance",
    offset: 0,
    limit: 10,
    turnsPerHit: 3,
    now: 0,
    ...more,
  };
}

/** Asks several questions of an index that holds these sessions. */
export async function withHistory(
  sessions: readonly IndexedSession[],
  ask: (search: (plan: SearchPlan) => Promise<SearchAnswer>) => Promise<void>,
): Promise<void> {
  await withIndexFolder(async (folder) => {
    const engine = engineIn(folder);
    await applyChanges(
      engine,
      sessions.map((entry) => ({ kind: "put", session: entry }) as const),
    );
    const reader = await mustRead(engine);
    try {
      await ask(async (plan) => {
        const answer = await reader.search(plan);
        if (answer.kind !== "answer") throw new Error(answer.what);
        return answer;
      });
    } finally {
      await reader.close();
    }
  });
}

/** An answer with the texts that are stored apart: plain data. Rejects if those are damaged. */
export async function openAll(answer: SearchAnswer): Promise<unknown> {
  const open = async ({ turns, ...hit }: SessionHit): Promise<unknown> => ({
    ...hit,
    turns: await Promise.all(
      turns.map(async ({ fieldsApart, ...turn }) => ({ ...turn, apart: await fieldsApart() })),
    ),
  });
  return { ...answer, hits: await Promise.all(answer.hits.map(open)) };
}

export function keysOf(answer: Pick<SearchAnswer, "hits">): string[] {
  return answer.hits.map(({ key }) => key);
}
