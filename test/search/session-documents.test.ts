import { expect, test } from "vitest";
import { extractDigest } from "../../src/extract/extract-digest.ts";
import type { IndexDocument } from "../../src/search/engine.ts";
import { sessionDocuments } from "../../src/search/session-documents.ts";
import type { Step } from "../../src/session/session.ts";
import { plainSession, reply } from "../support/plain-session.ts";

function documentsOf(steps: readonly Step[], isFork = false): readonly IndexDocument[] {
  const session = plainSession({ turns: [{ request: "go on", uid: "u1", steps }] });
  return sessionDocuments(session, extractDigest(session), isFork).filter(({ turn }) => turn > 0);
}

test("a turn is one document", () => {
  expect(documentsOf([reply("one"), reply("two")])).toMatchObject([
    { turn: 1, fields: { request: "go on", reply: "one\n\u001e\ntwo" } },
  ]);
});

test("a long turn becomes several; the first has the request, and no text is cut", () => {
  const texts = [..."abcdefgh"].map((char) => `${char} `.repeat(2_500));
  const documents = documentsOf(texts.map(reply));
  expect(documents.map(({ turn, fields }) => [turn, fields.request])).toEqual([
    [1, "go on"],
    ...Array.from({ length: 3 }, () => [1, undefined]),
  ]);
  expect(documents.map(({ fields }) => fields.reply).join("\n\u001e\n")).toBe(texts.join("\n\u001e\n"));
});

test("each document of a turn that was copied has its own name, the same in every copy", () => {
  const steps = [..."abc"].map((char) => reply(`${char} `.repeat(5_000)));
  const names = documentsOf(steps, true).map(({ identity, copied }) => [identity, copied]);
  expect(new Set(names.map(([identity]) => identity)).size).toBe(3);
  expect(names.every(([, copied]) => copied === true)).toBe(true);
  expect(documentsOf(steps).map(({ identity }) => identity)).toEqual(names.map(([identity]) => identity));
});
