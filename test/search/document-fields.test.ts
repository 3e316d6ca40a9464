import { expect, test } from "vitest";
import { sessionSchema } from "../../src/search/document-fields.ts";
import type { IndexDocument, IndexedSession } from "../../src/search/engine.ts";
import { applyChanges, engineIn, mustRead, withIndexFolder } from "../support/index/index-folder.ts";
import { planFor, words } from "../support/index/tiny-history.ts";

/** A session with one word, in one field of its card or of its only turn. */
function sessionWith(kind: "card" | "turn", field: string): IndexedSession {
  const document = (turn: number): IndexDocument => ({
    turn,
    at: null,
    context: "current",
    fields: (turn === 0) === (kind === "card") ? { [field]: "harbor" } : {},
  });
  return { key: field, row: "{}", digest: "{}", documents: [document(0), document(1)] };
}

/** Each score as a share of that of the branch or the error, which count 1. */
async function weights(
  kind: "card" | "turn",
  fields: readonly string[],
  one: string,
): Promise<Record<string, number>> {
  return withIndexFolder(async (folder) => {
    const engine = engineIn(folder, { schema: sessionSchema });
    const sessions = fields.map((field) => sessionWith(kind, field));
    await applyChanges(
      engine,
      sessions.map((session) => ({ kind: "put", session }) as const),
    );
    const reader = await mustRead(engine);
    const answer = await reader.search(planFor(words("harbor"), { limit: 20 }));
    await reader.close();
    if (answer.kind !== "answer") throw new Error(answer.what);
    const unit = answer.hits.find(({ key }) => key === one)?.score ?? Number.NaN;
    return Object.fromEntries(answer.hits.map(({ key, score }) => [key, Number((score / unit).toFixed(6))]));
  });
}

test("a word of a card counts most in the title, then in requests, and least among tools", async () => {
  const expected = {
    title: 4,
    request: 3,
    summary: 2,
    pending: 1.5,
    project: 1.5,
    branch: 1,
    file: 1,
    command: 0.8,
    tool: 0.5,
  };
  expect(await weights("card", Object.keys(expected), "branch")).toEqual(expected);
});

test("a word of a turn counts most in the request, then in summaries, and least in tool output", async () => {
  const expected = {
    request: 3,
    summary: 2,
    reply: 1.5,
    error: 1,
    command: 0.8,
    file: 0.8,
    output: 0.4,
  };
  expect(await weights("turn", Object.keys(expected), "error")).toEqual(expected);
});
