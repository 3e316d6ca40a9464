import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Library } from "../../src/fs/library.ts";
import { noFilter, type SessionFilter } from "../../src/search/query/session-filter.ts";
import { fileHistory, listSessions, withCatalog } from "../../src/search/session-catalog.ts";
import { makeAccess, makeLibrary } from "../support/make-library.ts";

const AT = "2026-11-10T10:00:00.000Z";
const idOf = (digit: string): string => `${digit.repeat(8)}-0000-4000-8000-000000000000`;

/** A session of Claude Code of one moment, in which a tool touched a file. */
function addSession({ environment }: Library, id: string, tool: "Read" | "Write"): void {
  const folder = join(environment.home, ".claude/projects/-home-ana-shop");
  mkdirSync(folder, { recursive: true });
  const common = { sessionId: id, cwd: "/home/ana/shop", timestamp: AT };
  const input = { file_path: "/home/ana/shop/mast.ts", content: "x" };
  const use = { type: "tool_use", id: `t-${id}`, name: tool, input };
  const result = { type: "tool_result", tool_use_id: `t-${id}`, content: "done" };
  const lines = [
    { ...common, type: "user", uuid: `${id}-1`, parentUuid: null, message: { role: "user", content: "Go." } },
    {
      ...common,
      type: "assistant",
      uuid: `${id}-2`,
      parentUuid: `${id}-1`,
      message: { id: `m-${id}`, role: "assistant", content: [use] },
    },
    {
      ...common,
      type: "user",
      uuid: `${id}-3`,
      parentUuid: `${id}-2`,
      message: { role: "user", content: [result] },
    },
  ];
  writeFileSync(join(folder, `${id}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

test("listSessions() sorts sessions that ended at the same moment by id", async () => {
  const library = makeLibrary();
  const ids = ["3", "1", "2"].map(idOf);
  for (const id of ids) addSession(library, id, "Read");
  const { rows } = await listSessions(library, makeAccess(library));
  expect(rows.map(({ digest }) => digest.id)).toEqual(ids.toSorted());
});

test("listSessions() takes a session of the first and of the last moment that was asked for, and none beside", async () => {
  const library = makeLibrary();
  addSession(library, idOf("1"), "Read");
  const at = Date.parse(AT);
  const totalOf = async (span: Pick<SessionFilter, "since" | "until">): Promise<number> =>
    (await listSessions(library, makeAccess(library), { filter: { ...noFilter, ...span } })).total;
  expect(await totalOf({ since: at, until: undefined })).toBe(1);
  expect(await totalOf({ since: at + 1, until: undefined })).toBe(0);
  expect(await totalOf({ since: undefined, until: at })).toBe(1);
  expect(await totalOf({ since: undefined, until: at - 1 })).toBe(0);
});

test("listSessions() does not take a session that was at work before and after a span, but not in it", async () => {
  const library = makeLibrary();
  const id = idOf("1");
  addSession(library, id, "Read");
  const log = join(library.environment.home, ".claude/projects/-home-ana-shop", `${id}.jsonl`);
  const later = { type: "user", uuid: "later", parentUuid: `${id}-3`, sessionId: id, cwd: "/home/ana/shop" };
  const message = { role: "user", content: "Go on." };
  appendFileSync(log, `${JSON.stringify({ ...later, timestamp: "2026-11-12T10:00:00.000Z", message })}\n`);
  const totalOf = async (since: string, until: string): Promise<number> => {
    const filter = { ...noFilter, since: Date.parse(since), until: Date.parse(until) };
    return (await listSessions(library, makeAccess(library), { filter })).total;
  };
  expect(await totalOf("2026-11-11T00:00:00Z", "2026-11-11T23:59:59Z")).toBe(0);
  expect(await totalOf("2026-11-10T00:00:00Z", "2026-11-11T23:59:59Z")).toBe(1);
  expect(await totalOf("2026-11-11T00:00:00Z", "2026-11-12T23:59:59Z")).toBe(1);
});

test("fileHistory() leaves out who only read a file if it is asked who wrote it", async () => {
  const library = makeLibrary();
  addSession(library, idOf("1"), "Read");
  addSession(library, idOf("2"), "Write");
  const found = (written: boolean): Promise<readonly string[]> =>
    withCatalog(library, makeAccess(library), async (catalog) =>
      (await fileHistory(catalog, "mast.ts", { filter: noFilter, written })).map(({ row }) => row.digest.id),
    );
  expect(await found(false)).toEqual([idOf("1"), idOf("2")]);
  expect(await found(true)).toEqual([idOf("2")]);
});
