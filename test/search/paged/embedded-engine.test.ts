import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { SearchReader } from "../../../src/search/engine.ts";
import { createBatchBuilder } from "../../../src/search/paged/segment-builder.ts";
import type { IndexSchema } from "../../../src/search/ranking/index-schema.ts";
import {
  applyChanges,
  engineIn,
  hastyDisk,
  mustRead,
  mustWrite,
  withIndexFolder,
} from "../../support/index/index-folder.ts";
import { smallSchema } from "../../support/index/small-schema.ts";
import { keysOf, planFor, session, words } from "../../support/index/tiny-history.ts";

async function found(reader: SearchReader, query: string): Promise<string[]> {
  const answer = await reader.search(planFor(words(query), { limit: 100 }));
  if (answer.kind !== "answer") throw new Error(answer.what);
  return keysOf(answer).sort();
}

async function findIn(folder: string, query: string): Promise<string[]> {
  const reader = await mustRead(engineIn(folder));
  try {
    return await found(reader, query);
  } finally {
    await reader.close();
  }
}

const segmentsIn = (folder: string): string[] =>
  fs.readdirSync(folder).filter((name) => name.endsWith(".seg"));

describe("an embedded engine", () => {
  test("has no index before the first commit", async () => {
    await withIndexFolder(async (folder) => {
      const engine = engineIn(folder);
      expect(await engine.read()).toEqual({ kind: "absent" });
      const writer = await mustWrite(engine);
      await writer.put(session("a", "one", ["deploy"]));
      expect(await engine.read()).toEqual({ kind: "absent" });
      await writer.commit({ tidy: "little" });
      expect(await findIn(folder, "deploy")).toEqual(["a"]);
      await writer.close();
    });
  });

  test("is not written where there is nothing to commit and nothing to tidy", async () => {
    await withIndexFolder(async (folder) => {
      const engine = engineIn(folder);
      await applyChanges(engine, [{ kind: "put", session: session("a", "one", ["deploy"]) }]);
      const before = fs.readFileSync(join(folder, "manifest"));
      const writer = await mustWrite(engine);
      await writer.commit({ tidy: "all" });
      expect(fs.readFileSync(join(folder, "manifest"))).toEqual(before);
      await writer.commit({ tidy: "all", state: "other" });
      expect(fs.readFileSync(join(folder, "manifest"))).not.toEqual(before);
      writer.clear();
      await writer.commit({ tidy: "all" });
      await writer.close();
      expect(await findIn(folder, "deploy")).toEqual([]);
    });
  });

  test("replaces a session that is put again, and forgets one that is removed", async () => {
    await withIndexFolder(async (folder) => {
      const engine = engineIn(folder);
      await applyChanges(engine, [
        { kind: "put", session: session("a", "one", ["deploy"]) },
        { kind: "put", session: session("b", "two", ["deploy"]) },
        { kind: "put", session: session("c", "three", ["deploy"]) },
      ]);
      await applyChanges(engine, [
        { kind: "put", session: session("a", "one", ["release", "release again"]) },
        { kind: "remove", key: "b" },
        { kind: "remove", key: "never was" },
      ]);
      expect(await findIn(folder, "deploy")).toEqual(["c"]);
      expect(await findIn(folder, "release")).toEqual(["a"]);
      const reader = await mustRead(engine);
      const all = await reader.rows({ limit: 1_000 });
      if (all.kind !== "rows") throw new Error(all.what);
      expect([all.sessions, all.turns]).toEqual([2, 3]);
      expect([...all.rows].map(({ key, turns }) => `${key} ${turns}`).sort()).toEqual(["a 2", "c 1"]);
      expect(await reader.session("b")).toBeUndefined();
      const stored = await reader.session("a");
      if (stored?.kind !== "session") throw new Error("it is there");
      expect(stored).toMatchObject({
        key: "a",
        row: JSON.stringify({ key: "a", title: "one" }),
        digest: JSON.stringify({ key: "a", digest: true }),
      });
      expect(await stored.documents()).toMatchObject([
        { turn: 0, fields: { title: "one" } },
        { turn: 1, fields: { request: "release" } },
        { turn: 2, fields: { request: "release again" } },
      ]);
      await reader.close();
    });
  });

  test("keeps the caller's state until another one is given", async () => {
    await withIndexFolder(async (folder) => {
      const writer = await mustWrite(engineIn(folder));
      const state = async (): Promise<string> => {
        const reader = await mustRead(engineIn(folder));
        await reader.close();
        return reader.state;
      };
      await writer.commit({ tidy: "little", state: "first" });
      expect(await state()).toBe("first");
      await writer.put(session("a", "x", ["y"]));
      await writer.commit({ tidy: "all" });
      expect(await state()).toBe("first");
      await writer.commit({ tidy: "all", state: "second" });
      expect(await state()).toBe("second");
      await writer.close();
    });
  });

  test("lets one write at a time, and the next one when it is done", async () => {
    await withIndexFolder(async (folder) => {
      const writer = await mustWrite(engineIn(folder));
      expect(await engineIn(folder).write()).toMatchObject({ kind: "locked", by: `process ${process.pid}` });
      await writer.close();
      const next = await mustWrite(engineIn(folder));
      await next.close();
    });
  });

  test("gives up what was not committed, and leaves nothing of it", async () => {
    await withIndexFolder(async (folder) => {
      const engine = engineIn(folder);
      await applyChanges(engine, [{ kind: "put", session: session("a", "x", ["deploy"]) }]);
      const before = segmentsIn(folder);
      const writer = await mustWrite(engine);
      await writer.put(session("b", "x", ["deploy"]));
      writer.remove("a");
      await writer.close();
      expect(segmentsIn(folder)).toEqual(before);
      expect(await findIn(folder, "deploy")).toEqual(["a"]);
    });
  });

  const others: readonly (readonly [string, IndexSchema])[] = [
    ["another analysis", { ...smallSchema, analysisVersion: "other" }],
    ["other fields", { ...smallSchema, fields: smallSchema.fields.slice(1) }],
  ];
  test.each(others)("of %s does not read the index, and starts again when it writes", async (_, schema) => {
    await withIndexFolder(async (folder) => {
      await applyChanges(engineIn(folder), [{ kind: "put", session: session("a", "x", ["deploy"]) }]);
      const [old = ""] = segmentsIn(folder);
      const engine = engineIn(folder, { schema });
      expect((await engine.read()).kind).toBe("version");
      const writer = await mustWrite(engine);
      await writer.put(session("b", "x", ["deploy"]));
      await writer.commit({ tidy: "little" });
      await writer.close();
      expect((await engine.read()).kind).toBe("open");
      expect(segmentsIn(folder)).not.toContain(old);
    });
  });

  test("of another format does not read the index", async () => {
    await withIndexFolder(async (folder) => {
      await applyChanges(engineIn(folder), []);
      const path = join(folder, "manifest");
      fs.writeFileSync(path, fs.readFileSync(path, "utf8").replace(/manifest \d+/, "manifest 99"));
      expect(await engineIn(folder).read()).toEqual({ kind: "version", what: "format 99" });
    });
  });

  test("removes segments that a killed writer left, and nothing else", async () => {
    await withIndexFolder(async (folder) => {
      await applyChanges(engineIn(folder), [{ kind: "put", session: session("a", "x", ["deploy"]) }]);
      fs.writeFileSync(join(folder, "0123456789abcdef.seg"), "half of a segment");
      fs.writeFileSync(join(folder, "notes.txt"), "somebody's");
      await applyChanges(engineIn(folder), [{ kind: "put", session: session("b", "x", ["deploy"]) }]);
      expect(fs.readdirSync(folder)).toContain("notes.txt");
      expect(fs.readdirSync(folder)).not.toContain("0123456789abcdef.seg");
      expect(await findIn(folder, "deploy")).toEqual(["a", "b"]);
    });
  });
});

describe("a reader", () => {
  test("goes on seeing what it opened, whatever is written and merged meanwhile", async () => {
    await withIndexFolder(async (folder) => {
      const engine = engineIn(folder, { merge: (segments) => (segments.length > 1 ? [0, 1] : []) });
      await applyChanges(engine, [{ kind: "put", session: session("a", "x", ["deploy"]) }]);
      const reader = await mustRead(engine);
      for (let i = 0; i < 5; i++) {
        await applyChanges(engine, [
          { kind: "put", session: session(`b${i}`, "x", ["deploy"]) },
          { kind: "remove", key: "a" },
        ]);
      }
      expect(await found(reader, "deploy")).toEqual(["a"]);
      await reader.close();
      expect(await findIn(folder, "deploy")).toEqual(["b0", "b1", "b2", "b3", "b4"]);
      expect(segmentsIn(folder)).toHaveLength(1);
    });
  });

  test("that finds a segment gone reads the manifest again", async () => {
    await withIndexFolder(async (folder) => {
      const engine = engineIn(folder, { merge: (segments) => (segments.length > 1 ? [0, 1] : []) });
      await applyChanges(engine, [{ kind: "put", session: session("a", "x", ["deploy"]) }]);
      let reads = 0;
      const disk = {
        ...hastyDisk,
        readFile: (path: string, maxBytes: number) => {
          const bytes = hastyDisk.readFile(path, maxBytes);
          reads++;
          return bytes;
        },
        open: (path: string, how: "read" | "create" | "append") => {
          // Right after the first look at the manifest, its segment goes away.
          if (reads === 1 && path.endsWith(".seg")) {
            fs.renameSync(path, `${path}.gone`);
            fs.copyFileSync(join(folder, "manifest.next"), join(folder, "manifest"));
          }
          return hastyDisk.open(path, how);
        },
      };
      const old = fs.readFileSync(join(folder, "manifest"));
      const [oldSegment = ""] = segmentsIn(folder);
      const kept = fs.readFileSync(join(folder, oldSegment));
      await applyChanges(engine, [{ kind: "put", session: session("b", "x", ["deploy"]) }]);
      fs.copyFileSync(join(folder, "manifest"), join(folder, "manifest.next"));
      fs.writeFileSync(join(folder, "manifest"), old);
      fs.writeFileSync(join(folder, oldSegment), kept);
      const reader = await mustRead(engineIn(folder, { disk }));
      expect(await found(reader, "deploy")).toEqual(["a", "b"]);
      await reader.close();
    });
  });
});

describe("batches", () => {
  test("built on their own are part of the index once they are added and committed", async () => {
    await withIndexFolder(async (folder) => {
      const writer = await mustWrite(engineIn(folder));
      // So little memory that each session fills it: one segment each.
      const builder = createBatchBuilder(hastyDisk, folder, smallSchema, 1);
      for (const key of ["a", "b", "c"]) builder.put(session(key, "x", ["deploy"]));
      const other = createBatchBuilder(hastyDisk, folder, smallSchema);
      other.put(session("d", "x", ["deploy"]));
      other.put(session("a", "x", ["newer"]));
      const batches = [...builder.finish(), ...other.finish()];
      expect(batches).toHaveLength(4);
      expect(builder.finish()).toEqual([]);
      writer.remove("c");
      writer.add?.(structuredClone(batches));
      await writer.put(session("e", "x", ["deploy"]));
      await writer.commit({ tidy: "little" });
      await writer.close();
      // Added after it was removed: it is there.
      expect(await findIn(folder, "deploy")).toEqual(["b", "c", "d", "e"]);
      expect(await findIn(folder, "newer")).toEqual(["a"]);
    });
  });

  test("that were finished and not committed leave nothing once the writer is closed", async () => {
    await withIndexFolder(async (folder) => {
      const first = await mustWrite(engineIn(folder));
      await first.put(session("a", "x", ["deploy"]));
      await first.commit({ tidy: "little" });
      await first.close();
      const before = fs.readdirSync(folder).sort();
      const writer = await mustWrite(engineIn(folder));
      const builder = createBatchBuilder(hastyDisk, folder, smallSchema, 1);
      for (const key of ["b", "c"]) builder.put(session(key, "x", ["deploy"]));
      expect(fs.readdirSync(folder).filter((name) => name.endsWith(".seg"))).toHaveLength(3);
      await writer.close();
      expect(fs.readdirSync(folder).sort()).toEqual(before);
      expect(await findIn(folder, "deploy")).toEqual(["a"]);
    });
  });

  test("that are abandoned leave nothing", async () => {
    await withIndexFolder(async (folder) => {
      fs.mkdirSync(folder);
      const builder = createBatchBuilder(hastyDisk, folder, smallSchema);
      builder.put(session("a", "x", ["deploy"]));
      builder.abandon();
      expect(fs.readdirSync(folder)).toEqual([]);
    });
  });
});
