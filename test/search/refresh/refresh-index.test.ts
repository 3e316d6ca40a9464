import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { archiveSessions } from "../../../src/archive/archive-sessions.ts";
import { openArchive } from "../../../src/archive/open-archive.ts";
import { forgetSession } from "../../../src/forget.ts";
import type { Library } from "../../../src/fs/library.ts";
import { parseQuery } from "../../../src/search/query/parse-query.ts";
import { noFilter } from "../../../src/search/query/session-filter.ts";
import { refreshIndex } from "../../../src/search/refresh/refresh-index.ts";
import { type SearchResult, searchSessions } from "../../../src/search/search-sessions.ts";
import { archiving, locking } from "../../support/archive/archiving.ts";
import { makeAccess, makeLibrary } from "../../support/make-library.ts";

const demo = fileURLToPath(new URL("../../../fixtures/demo", import.meta.url));
const TOKEN_SESSION = "87f01b2f-1b5d-461b-8db4-95cd4ce864a4";

/** A home with the example history in it, that may be changed. */
function changingLibrary(): { readonly library: Library; readonly log: string; readonly shop: string } {
  const library = makeLibrary();
  const { home } = library.environment;
  cpSync(demo, home, { recursive: true });
  const shop = join(home, ".claude/projects/-home-ana-shop");
  return { library, shop, log: join(shop, `${TOKEN_SESSION}.jsonl`) };
}

async function search(library: Library, query: string): Promise<SearchResult> {
  const [result] = await searchSessions(library, makeAccess(library), [
    { query: parseQuery(query), filter: noFilter, excluded: [], sort: "relevance", offset: 0, limit: 10 },
  ]);
  if (result === undefined) throw new Error("no answer");
  return result;
}

const idsOf = ({ hits }: SearchResult): readonly string[] => hits.map(({ row }) => row.digest.id);

const said = (text: string, sessionId: string): string =>
  `${JSON.stringify({ type: "user", uuid: `u-${text.length}`, parentUuid: null, sessionId, cwd: "/home/ana/shop", timestamp: "2026-11-10T10:00:00Z", message: { role: "user", content: text } })}\n`;

describe("refreshIndex()", () => {
  test("finds a line that was just appended", async () => {
    const { library, log } = changingLibrary();
    expect((await search(library, "zanzibar")).match).toBe("none");
    appendFileSync(log, said("Call it zanzibar.", TOKEN_SESSION));
    const found = await search(library, "zanzibar");
    expect(idsOf(found)).toEqual([TOKEN_SESSION]);
    expect(found.hits[0]?.snippets[0]?.text).toContain("zanzibar");
  });

  test("finds a new log, and one that was renamed under its new id alone", async () => {
    const { library, shop } = changingLibrary();
    await search(library, "token");
    const first = "11111111-0000-4000-8000-000000000000";
    const second = "22222222-0000-4000-8000-000000000000";
    writeFileSync(join(shop, `${first}.jsonl`), said("Plant a baobab.", first));
    expect(idsOf(await search(library, "baobab"))).toEqual([first]);
    renameSync(join(shop, `${first}.jsonl`), join(shop, `${second}.jsonl`));
    expect(idsOf(await search(library, "baobab"))).toEqual([second]);
    // As long as it is what it was.
    appendFileSync(join(shop, `${second}.jsonl`), said("Plant another.", first));
    expect(idsOf(await search(library, "baobab"))).toEqual([second]);
  });

  test("finds a log that was archived and renamed under its new id alone, and both where they differ", async () => {
    const { library, shop } = changingLibrary();
    const first = "11111111-0000-4000-8000-000000000000";
    const second = "22222222-0000-4000-8000-000000000000";
    writeFileSync(join(shop, `${first}.jsonl`), said("Plant a baobab.", first));
    await archiveSessions(library, archiving);
    expect(idsOf(await search(library, "baobab"))).toEqual([first]);
    renameSync(join(shop, `${first}.jsonl`), join(shop, `${second}.jsonl`));
    expect(idsOf(await search(library, "baobab"))).toEqual([second]);
    await refreshIndex(library, { ...makeAccess(library), rebuild: true });
    expect(idsOf(await search(library, "baobab"))).toEqual([second]);
    writeFileSync(join(shop, `${second}.jsonl`), said("Plant a banyan.", second));
    await refreshIndex(library, { ...makeAccess(library), rebuild: true });
    expect(idsOf(await search(library, "baobab"))).toEqual([first]);
    expect(idsOf(await search(library, "banyan"))).toEqual([second]);
  });

  test("forgets what was taken out of a log that was rewritten", async () => {
    const { library, log } = changingLibrary();
    appendFileSync(log, said("Call it zanzibar.", TOKEN_SESSION));
    expect((await search(library, "zanzibar")).total).toBe(1);
    const text = readFileSync(log, "utf8");
    truncateSync(log, text.length - said("Call it zanzibar.", TOKEN_SESSION).length);
    expect((await search(library, "zanzibar")).match).toBe("none");
  });

  test("still finds a session whose log is gone", async () => {
    const { library, log } = changingLibrary();
    await search(library, "token");
    rmSync(log);
    const found = await search(library, "token refresh");
    expect(found.hits[0]?.row).toMatchObject({ state: "kept", source: null, digest: { id: TOKEN_SESSION } });
  });

  describe("a session of which only sub-agents' logs are left", () => {
    const id = "484e4bb2-8809-49fb-92e2-d5870129d604";
    const SUBAGENT = "a7c41e09b3d25f8a6";

    /** In a folder of the session, as now, or beside its log, as before. */
    function withSubagents(layout: "folder" | "beside"): {
      readonly library: Library;
      readonly log: string;
      readonly folder: string;
    } {
      const { library, shop } = changingLibrary();
      const inFolder = join(shop, id, "subagents");
      const folder = layout === "folder" ? inFolder : shop;
      if (layout === "beside") {
        cpSync(join(inFolder, `agent-${SUBAGENT}.jsonl`), join(shop, `agent-${SUBAGENT}.jsonl`));
        rmSync(join(shop, id), { recursive: true });
      }
      return { library, log: join(shop, `${id}.jsonl`), folder };
    }

    test.each(["folder", "beside"] as const)("is the archived one (%s)", async (layout) => {
      const { library, log, folder } = withSubagents(layout);
      appendFileSync(log, said("Call it zanzibar.", id));
      await archiveSessions(library, archiving);
      rmSync(log);
      const expected = { state: "kept", source: null, digest: { id, origin: "archive" } };
      expect((await search(library, "zanzibar")).hits[0]?.row).toMatchObject(expected);
      // What was never archived of it is found, too.
      const more = join(folder, "agent-b0000000000000000.jsonl");
      const line: Record<string, unknown> = JSON.parse(said("Plant a baobab.", id));
      writeFileSync(
        more,
        `${JSON.stringify({ ...line, isSidechain: true, agentId: "b0000000000000000" })}\n`,
      );
      await refreshIndex(library, { ...makeAccess(library), rebuild: true });
      expect(idsOf(await search(library, "zanzibar"))).toEqual([id]);
      expect(idsOf(await search(library, "baobab"))).toEqual([id]);
      expect((await refreshIndex(library, makeAccess(library))).read).toBe(0);
    });

    test.each(["folder", "beside"] as const)("stays as it was indexed (%s)", async (layout) => {
      const { library, log } = withSubagents(layout);
      appendFileSync(log, said("Call it zanzibar.", id));
      expect(idsOf(await search(library, "zanzibar"))).toEqual([id]);
      rmSync(log);
      expect((await search(library, "zanzibar")).hits[0]?.row).toMatchObject({ state: "kept", source: null });
      await archiveSessions(library, archiving);
      expect(idsOf(await search(library, "zanzibar"))).toEqual([id]);
    });

    test("is a stub if neither the index nor the archive ever had its log", async () => {
      const { library, log } = withSubagents("folder");
      rmSync(log);
      await archiveSessions(library, archiving);
      await refreshIndex(library, makeAccess(library));
      const { hits } = await search(library, "reads or writes the column orders.total");
      expect(hits.map(({ row }) => [row.digest.id, row.state])).toContainEqual([id, "stub"]);
    });
  });

  test("reads everything again where settings have changed that it was read by, and then nothing", async () => {
    const { library, log } = changingLibrary();
    const add = (text: string): void => appendFileSync(log, said(text, TOKEN_SESSION));
    add("My badge is ACME-4711, and the banyan grows.");
    expect((await search(library, '"ACME-4711"')).match).toBe("all");
    const before = (await refreshIndex(library, makeAccess(library))).read;
    expect(before).toBe(0);
    const masking = { ...library, config: { ...library.config, redact: ["ACME-[0-9]{4}"] } };
    expect((await search(masking, '"ACME-4711"')).match).not.toBe("all");
    expect(idsOf(await search(masking, "banyan"))).toEqual([TOKEN_SESSION]);
    expect((await refreshIndex(masking, makeAccess(masking))).read).toBe(0);
    const excluding = { ...masking, config: { ...masking.config, exclude: ["shop"] } };
    expect((await search(excluding, "banyan")).match).toBe("none");
    expect(idsOf(await search(library, '"ACME-4711"'))).toEqual([TOKEN_SESSION]);
  });

  test("keeps what is left of a session whose log is gone where settings have changed", async () => {
    const { library, log } = changingLibrary();
    await search(library, "token");
    rmSync(log);
    const anew = { ...library, config: { ...library.config, index: { outputChars: 10 } } };
    expect((await search(anew, "token refresh")).hits[0]?.row).toMatchObject({
      state: "kept",
      digest: { id: TOKEN_SESSION },
    });
  });

  test("keeps what it has of a log that grew, and went, after it was archived, where settings have changed", async () => {
    const { library, log } = changingLibrary();
    await archiveSessions(library, archiving);
    appendFileSync(log, said("Call it zanzibar.", TOKEN_SESSION));
    expect(idsOf(await search(library, "zanzibar"))).toEqual([TOKEN_SESSION]);
    rmSync(log);
    const anew = { ...library, config: { ...library.config, redact: ["nothing-[0-9]"] } };
    expect(idsOf(await search(anew, "zanzibar"))).toEqual([TOKEN_SESSION]);
  });

  test("reads nothing where nothing changed", async () => {
    const { library } = changingLibrary();
    const access = makeAccess(library);
    expect(await refreshIndex(library, access)).toMatchObject({ read: 13, rebuilt: "absent" });
    expect(await refreshIndex(library, access)).toMatchObject({ read: 0, rebuilt: null, stale: 0 });
  });

  test("does not read projects that are excluded, nor look at them again", async () => {
    const library = makeLibrary({ home: demo, config: { exclude: ["shop"] } });
    const access = makeAccess(library);
    expect((await refreshIndex(library, access)).read).toBe(7);
    expect((await refreshIndex(library, access)).read).toBe(0);
    expect((await search(library, "token refresh")).hits.map(({ row }) => row.digest.project)).not.toContain(
      "/home/ana/shop",
    );
  });

  test.each([
    ["older", 1],
    ["newer", 0],
  ])("indexes only the other log of a session whose %s log is of an excluded project", async (_, secret) => {
    const library = makeLibrary({ config: { exclude: ["/home/ana/secret"] } });
    const id = "33333333-0000-4000-8000-000000000000";
    for (const [at, project] of ["secret", "shop"].entries()) {
      const folder = join(library.environment.home, ".claude/projects", `-home-ana-${project}`);
      mkdirSync(folder, { recursive: true });
      const line = {
        type: "user",
        uuid: `u-${project}`,
        parentUuid: null,
        sessionId: id,
        cwd: `/home/ana/${project}`,
        timestamp: "2026-11-10T10:00:00Z",
        message: { role: "user", content: `The word of ${project} is ${project}word.` },
      };
      const path = join(folder, `${id}.jsonl`);
      writeFileSync(path, `${JSON.stringify(line)}\n`);
      const time = new Date(Date.UTC(2026, 10, at === secret ? 10 : 11));
      utimesSync(path, time, time);
    }
    expect((await search(library, "shopword")).hits.map(({ row }) => row.digest.project)).toEqual([
      "/home/ana/shop",
    ]);
    expect((await search(library, "secretword")).hits).toEqual([]);
  });

  test("one of two archived copies is found when the other was forgotten", async () => {
    const { library } = changingLibrary();
    const id = "44444444-0000-4000-8000-000000000000";
    const paths = ["harbor", "island"].map((project) => {
      const folder = join(library.environment.home, ".claude/projects", `-home-ana-${project}`);
      mkdirSync(folder, { recursive: true });
      const line = {
        type: "user",
        uuid: `u-${project}`,
        parentUuid: null,
        sessionId: id,
        cwd: `/home/ana/${project}`,
        timestamp: "2026-11-10T10:00:00Z",
        message: { role: "user", content: `The word of ${project} is ${project}word.` },
      };
      writeFileSync(join(folder, `${id}.jsonl`), `${JSON.stringify(line)}\n`);
      return join(folder, `${id}.jsonl`);
    });
    await archiveSessions(library, archiving);
    for (const path of paths) rmSync(path);
    expect((await search(library, "harborword")).hits).toHaveLength(1);
    const copies = openArchive(library).copies({ agent: "claude", id });
    const forgotten = copies.find((copy) => openArchive(library).get(copy)?.files[0]?.path === paths[0]);
    if (forgotten === undefined) throw new Error("no copy");
    await forgetSession(library, forgotten, { locking });
    for (let round = 0; round < 2; round++) {
      expect(idsOf(await search(library, "islandword"))).toEqual([id]);
      expect((await search(library, "harborword")).match).not.toBe("all");
    }
  });

  test.each([
    ["truncated", (bytes: Buffer) => bytes.subarray(0, bytes.length >> 1)],
    ["zeroed", (bytes: Buffer) => Buffer.alloc(bytes.length)],
    ["emptied", () => Buffer.alloc(0)],
    [
      "flipped in its middle",
      (bytes: Buffer) => Buffer.from(bytes.map((byte, at) => (at === bytes.length >> 1 ? byte ^ 1 : byte))),
    ],
  ])("answers rightly after any file of the index was %s", async (_, harm) => {
    const { library } = changingLibrary();
    const before = idsOf(await search(library, "token refresh"));
    expect(before.length).toBeGreaterThan(0);
    for (const name of readdirSync(library.places.index)) {
      const path = join(library.places.index, name);
      writeFileSync(path, harm(readFileSync(path)));
      expect(idsOf(await search(library, "token refresh")), name).toEqual(before);
      expect((await search(library, "certificate")).hits.length, name).toBeGreaterThan(0);
    }
  });

  test("counts a turn that a fork copied once, and shows it in the session that had it first", async () => {
    const home = fileURLToPath(new URL("../../../fixtures/claude/homes/cli-fork", import.meta.url));
    const library = makeLibrary({ variables: { CLAUDE_CONFIG_DIR: home } });
    const found = await search(library, "price rules");
    // The fork's title matches too; its copy of the turn does not count.
    const asked = found.hits.filter(({ snippets }) =>
      snippets.some(({ role, turn }) => role === "request" && turn === 1),
    );
    expect(asked).toHaveLength(1);
    expect(found.hits[0]).toBe(asked[0]);
  });

  test("answers from memory where the store can't be written", async () => {
    const { library } = changingLibrary();
    mkdirSync(join(library.places.home, ".."), { recursive: true });
    writeFileSync(library.places.home, "a file where the folder should be");
    expect(idsOf(await search(library, "token refresh"))).toContain(TOKEN_SESSION);
  });
});
