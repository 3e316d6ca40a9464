import type { IndexDocument, IndexedSession } from "../../../src/search/engine.ts";
import { createSeededRandom } from "../../support/seeded-random.ts";

export const TURNS_PER_SESSION = 10;
const VOCABULARY = 40_000;
const DAY_MS = 86_400_000;
const NOW: number = Date.UTC(2026, 10, 16);

/** A word by its rank: low ranks are frequent. */
export function wordAt(rank: number): string {
  let rest = rank + 17;
  let word = "";
  do {
    word += ["ba", "ko", "re", "ti", "mu", "sal", "den", "for", "gri", "pla"][rest % 10] ?? "";
    rest = Math.floor(rest / 10);
  } while (rest > 0);
  return word;
}

/** A session of ten turns, always the same for a number. Words are as frequent as in a language: by Zipf's law. */
export function madeSession(number: number): IndexedSession {
  const random = createSeededRandom(number + 1);
  const next = (): number => random.int(2 ** 30) / 2 ** 30;
  const text = (words: number): string =>
    Array.from({ length: words }, () => wordAt(Math.floor(VOCABULARY ** next()) - 1)).join(" ");
  const at = NOW - Math.floor(next() * 300 * DAY_MS);
  const turns = Array.from({ length: TURNS_PER_SESSION }, (_, i): IndexDocument => {
    const file = `src/${wordAt(Math.floor(next() * 2_000))}/${wordAt(Math.floor(next() * 2_000))}.ts`;
    return {
      turn: i + 1,
      at: at - (TURNS_PER_SESSION - i) * 60_000,
      context: "current",
      fields: {
        request: text(25),
        reply: text(120),
        command: `npm test ${file}`,
        file,
        output: text(80),
        words: text(60),
      },
    };
  });
  const title = text(8);
  const id = `made-${number}`;
  const project = `/work/${wordAt(number % 500)}`;
  const row = {
    agent: "claude",
    id,
    title,
    project,
    repository: null,
    branch: "main",
    tools: { Bash: 10 },
    contexts: ["current"],
    startedAt: at - 600_000,
    endedAt: at,
  };
  const requests = turns.map(({ fields }) => fields.request ?? "").join("\n");
  const card = { title, request: requests, project, branch: "main", tool: "Bash" };
  return {
    key: `claude:${id}`,
    row: JSON.stringify(row),
    digest: JSON.stringify({ id, title }),
    documents: [{ turn: 0, at, context: "current", fields: card }, ...turns],
  };
}
