import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { archiveSessions } from "../../src/archive/archive-sessions.ts";
import type { Library } from "../../src/fs/library.ts";
import { parseQuery } from "../../src/search/query/parse-query.ts";
import { noFilter } from "../../src/search/query/session-filter.ts";
import { type SearchResult, searchSessions } from "../../src/search/search-sessions.ts";
import { archiving } from "../support/archive/archiving.ts";
import { makeAccess, makeLibrary } from "../support/make-library.ts";

const ID = "11111111-0000-4000-8000-000000000000";
const OTHER = "22222222-0000-4000-8000-000000000000";
/** Longer than what is kept of an output for snippets. */
const FILLER = "all quiet on the deck\n".repeat(200);

function logOf(library: Library, id: string): string {
  return join(library.environment.home, `.claude/projects/-home-ana-shop/${id}.jsonl`);
}

interface Call {
  readonly name?: string;
  readonly input?: object;
  readonly output?: string;
}

/** Lines of one turn: a request, a tool call and its result. */
function turnLines(
  id: string,
  turn: number,
  request: string,
  { name = "Read", input = {}, output = "" }: Call,
): string {
  const line = (kind: string, parent: string | null, role: string, content: unknown): string =>
    JSON.stringify({
      type: role,
      uuid: `${kind}${turn}`,
      parentUuid: parent,
      sessionId: id,
      cwd: "/home/ana/shop",
      timestamp: `2026-11-10T10:0${turn}:00Z`,
      message: { role, content },
    });
  return [
    line("u", turn === 1 ? null : `r${turn - 1}`, "user", request),
    line("a", `u${turn}`, "assistant", [{ type: "tool_use", id: `t${turn}`, name, input }]),
    line("r", `a${turn}`, "user", [{ type: "tool_result", tool_use_id: `t${turn}`, content: output }]),
    "",
  ].join("\n");
}

function write(library: Library, id: string, text: string): void {
  mkdirSync(dirname(logOf(library, id)), { recursive: true });
  writeFileSync(logOf(library, id), text);
}

async function search(library: Library, query: string): Promise<SearchResult> {
  const [result] = await searchSessions(library, makeAccess(library), [
    { query: parseQuery(query), filter: noFilter, excluded: [], sort: "relevance", offset: 0, limit: 10 },
  ]);
  if (result === undefined) throw new Error("no answer");
  return result;
}

function foundIn({ hits }: SearchResult): readonly string[] {
  return hits.map(({ row }) => row.digest.id);
}

describe("searchSessions() finds a word", () => {
  test.each<readonly [where: string, word: string, call: Call]>([
    ["of tool output past its beginning", "quarterdeck", { output: `${FILLER}the quarterdeck is wet` }],
    ["of a name, by a part of it", "quarterdeck", { output: `${FILLER}wetQuarterdeckPlanks` }],
    ["of a path, by its end", "rig/mast.ts", { output: `${FILLER}see src/rig/mast.ts:12` }],
    ["of a tool's input", "quarterdeck", { name: "Edit", input: { new_string: "a\nquarterdeck" } }],
    [
      "between the colours of a terminal",
      "quarterdeck",
      { output: `${FILLER}\u001b[31mquarterdeck\u001b[0m` },
    ],
  ])("%s", async (_, word, call) => {
    const library = makeLibrary();
    write(library, ID, turnLines(ID, 1, "Look at the ship.", call));
    write(library, OTHER, turnLines(OTHER, 1, "Look at the harbor.", { output: FILLER }));
    const result = await search(library, word);
    expect(result.match).toBe("all");
    expect(foundIn(result)).toEqual([ID]);
  });

  test("that only the archive has by now, and shows its passage", async () => {
    const library = makeLibrary();
    write(library, ID, turnLines(ID, 1, "Look at the ship.", { output: `${FILLER}the quarterdeck is wet` }));
    await archiveSessions(library, archiving);
    rmSync(logOf(library, ID));
    const { hits } = await search(library, "quarterdeck");
    expect(hits.map(({ row, snippets }) => [row.state, snippets[0]?.role, snippets[0]?.text])).toEqual([
      ["kept", "output", expect.stringContaining("the quarterdeck is wet")],
    ]);
  });

  test("of a turn that was appended after the index was made", async () => {
    const library = makeLibrary();
    write(library, ID, turnLines(ID, 1, "Look at the ship.", { output: `${FILLER}the quarterdeck is wet` }));
    expect(foundIn(await search(library, "quarterdeck"))).toEqual([ID]);
    appendFileSync(
      logOf(library, ID),
      turnLines(ID, 2, "And now?", { output: `${FILLER}the bowsprit is dry` }),
    );
    expect(foundIn(await search(library, "bowsprit"))).toEqual([ID]);
    expect(foundIn(await search(library, "quarterdeck"))).toEqual([ID]);
  });
});

describe("searchSessions() and tool output in a file beside the log", () => {
  /** A long log, whose fingerprints are of plain texts, with one output that is elsewhere. */
  const spill = (library: Library, text: string): string => {
    const folder = join(dirname(logOf(library, ID)), ID, "tool-results");
    const path = join(folder, "out1.txt");
    const output = `<persisted-output>\nOutput too large. Full output saved to: ${path}\n\nPreview:\nall quiet`;
    write(
      library,
      ID,
      turnLines(ID, 1, `Look at the ship. ${FILLER.repeat(6)}`, { output }) +
        turnLines(ID, 2, "And the harbor.", {}),
    );
    mkdirSync(folder, { recursive: true });
    writeFileSync(path, text);
    return path;
  };

  test("find its words, and show the passage", async () => {
    const library = makeLibrary();
    spill(library, `${FILLER}the quarterdeck is wet\n`);
    const { hits } = await search(library, "quarterdeck");
    expect(hits.flatMap(({ snippets }) => snippets.map(({ turn, text }) => [turn, text]))).toEqual([
      [1, expect.stringContaining("the quarterdeck is wet")],
    ]);
  });

  test("find what changed in it", async () => {
    const library = makeLibrary();
    const path = spill(library, "the quarterdeck is wet\n");
    expect(foundIn(await search(library, "quarterdeck"))).toEqual([ID]);
    writeFileSync(path, "the bowsprit is also dry\n");
    expect(foundIn(await search(library, "bowsprit"))).toEqual([ID]);
    expect((await search(library, "quarterdeck")).match).not.toBe("all");
  });

  test("do not find its secrets", async () => {
    const library = makeLibrary();
    spill(library, `${FILLER}DB_PASSWORD=quarterdeck77\n`);
    expect((await search(library, "quarterdeck77")).match).not.toBe("all");
  });
});

describe("searchSessions() does not find", () => {
  test.each([
    ["a masked secret by its letters", `${FILLER}DB_PASSWORD=quarterdeck77`, "quarterdeck77"],
    [
      "a secret whose name comes before the cut",
      `${"deck ".repeat(396)}password: quarterdeck77`,
      "quarterdeck77",
    ],
    ["thinking", FILLER, "quarterdeck"],
    ["base64", `${FILLER}${"Qm9hdDEyMzQ1Njc4OTA".repeat(9)}`, "Qm9hdDEyMzQ1Njc4OTA"],
  ])("%s", async (_, output, query) => {
    const library = makeLibrary();
    const thinking = JSON.stringify({
      type: "assistant",
      uuid: "t9",
      parentUuid: "r1",
      sessionId: ID,
      message: { role: "assistant", content: [{ type: "thinking", thinking: "the quarterdeck" }] },
    });
    write(library, ID, `${turnLines(ID, 1, "Look at the ship.", { output })}${thinking}\n`);
    expect(foundIn(await search(library, query))).toEqual([]);
  });
});

describe("searchSessions() shows", () => {
  test("the passage of the log that has a word, beside a passage with the others", async () => {
    const library = makeLibrary();
    write(
      library,
      ID,
      turnLines(ID, 1, "Look at the ship.", { output: `${FILLER}the quarterdeck is wet\n${FILLER}` }),
    );
    const { hits } = await search(library, "ship quarterdeck");
    expect(hits[0]?.snippets.map(({ turn, role, text }) => [turn, role, text])).toEqual([
      [1, "request", "Look at the ship."],
      [1, "output", expect.stringContaining("the quarterdeck is wet")],
    ]);
  });

  test("the input of a tool that has it, with its secrets masked", async () => {
    const library = makeLibrary();
    const input = {
      file_path: "a.ts",
      new_string: "DB_PASSWORD=Zx81kP0mQ9tr quarterdeck",
    };
    write(library, ID, turnLines(ID, 1, "Look at the ship.", { name: "Edit", input }));
    const { hits } = await search(library, "quarterdeck");
    expect(hits[0]?.snippets.map(({ role }) => role)).toEqual(["command"]);
    expect(hits[0]?.snippets[0]?.text).toMatch(/\[masked.*quarterdeck/);
  });

  test("a session with a whole name before those that have its parts", async () => {
    const library = makeLibrary();
    write(library, ID, turnLines(ID, 1, "Look.", { output: `${FILLER}wet_deck_planks` }));
    write(library, OTHER, turnLines(OTHER, 1, "Which deck has wet planks? The deck, the wet planks.", {}));
    expect(foundIn(await search(library, "wet_deck_planks"))).toEqual([ID, OTHER]);
  });
});

describe("searchSessions() says of a word that nobody wrote", () => {
  test.each([
    ["what is shown in its place", "quarterdekc", [{ word: "quarterdekc", showing: ["quarterdeck"] }]],
    ["that nothing resembles it", "ship zzyzxq", [{ word: "zzyzxq", showing: [] }]],
    ["nothing, if tool output has it", "quarterdeck", []],
  ])("%s", async (_, query, missing) => {
    const library = makeLibrary();
    write(library, ID, turnLines(ID, 1, "Look at the ship.", { output: `${FILLER}the quarterdeck is wet` }));
    expect((await search(library, query)).missingWords).toEqual(missing);
  });

  test("near-spellings never replace a word that tool output has", async () => {
    const library = makeLibrary();
    write(library, ID, turnLines(ID, 1, "Look at the ship.", { output: `${FILLER}the boom is wet` }));
    write(library, OTHER, turnLines(OTHER, 1, "The bloom of the day.", {}));
    const result = await search(library, "boom");
    expect(result.match).toBe("all");
    expect(foundIn(result)).toEqual([ID]);
  });
});
