import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ArchiveStore, FileToKeep } from "../../../src/archive/archive-store.ts";
import { CHUNK_BYTES } from "../../../src/archive/raw/chunk.ts";
import { copyHash } from "../../../src/archive/raw/generations.ts";
import { openRawArchive } from "../../../src/archive/raw/raw-archive.ts";
import { UserError } from "../../../src/errors.ts";
import { ArchiveDamage } from "../../../src/fs/damage.ts";
import { quickDisk as disk } from "../../crash/quick-disk.ts";
import { diskThatIsFull, diskThatPausesAt, readOnlyDisk, unreadableDisk } from "../../crash/sick-disks.ts";
import { temporaryFolder } from "../../crash/temporary-folder.ts";
import {
  bytesOf,
  chunkNames,
  fileAt,
  filesBelow,
  logLines,
  readAll,
  session,
} from "../../support/archive/source-files.ts";
import fc from "../../support/fc.ts";

interface Ground {
  readonly folder: string;
  readonly raw: string;
  readonly log: string;
  /** A new process: nothing is remembered. */
  open(): ArchiveStore;
  put(...files: readonly FileToKeep[]): ReturnType<ArchiveStore["put"]>;
}

function ground(): Ground {
  const folder = temporaryFolder();
  const raw = join(folder, "raw");
  const open = (): ArchiveStore => openRawArchive(disk, raw);
  return {
    folder,
    raw,
    log: join(folder, "log.jsonl"),
    open,
    put: (...files) => {
      const archive = open();
      const done = archive.put(session, files);
      archive.close();
      return done;
    },
  };
}

const sha256 = (bytes: string | Buffer): string => createHash("sha256").update(bytes).digest("hex");

describe("put()", () => {
  it("cuts a file after each 1,048,576 bytes, as all archives that exist are cut", () => {
    const { raw, log, put } = ground();
    const text = logLines(1, 1_048_577);
    fs.writeFileSync(log, text);
    put(fileAt(disk, log));
    const parts = [text.slice(0, 1_048_576), text.slice(1_048_576)];
    expect(chunkNames(raw).toSorted()).toEqual(parts.map((part) => `${sha256(part)}.br`).toSorted());
  });

  it("returns what it was given, with mode, time, role and hash", () => {
    const { log, put, open } = ground();
    const text = logLines(1, 5_000);
    fs.writeFileSync(log, text);
    fs.chmodSync(log, 0o640);
    fs.utimesSync(log, 1_700_000_000, 1_700_000_000.123);
    const { kind, session: kept, problems } = put(fileAt(disk, log));
    expect({ kind, problems }).toEqual({ kind: "kept", problems: [] });
    expect(kept).toMatchObject({ ...session, generation: 1, bytes: text.length });
    expect(bytesOf(open(), log)?.toString()).toBe(text);
    const { mtimeMs, inode } = disk.stat(log) ?? {};
    expect(open().get(session)?.files[0]).toMatchObject({
      path: log,
      role: "main",
      mode: 0o640,
      mtimeMs,
      inode,
      size: text.length,
      sha256: sha256(text),
    });
  });

  it("keeps any bytes, also none, at every size around a chunk", () => {
    const { folder, put, open } = ground();
    const sizes = [0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 2 * CHUNK_BYTES];
    const files = sizes.map((size, index) => {
      const path = join(folder, `${index}.jsonl`);
      fs.writeFileSync(path, Buffer.alloc(size, `${index} binary \0\xff`, "latin1"));
      return fileAt(disk, path);
    });
    put(...files);
    for (const { path } of files) expect(bytesOf(open(), path)?.equals(fs.readFileSync(path))).toBe(true);
  });

  it("holds each byte of a growing log once, at ten sizes", () => {
    const { log, raw, put, open } = ground();
    let text = "";
    const sizes = [10, 700, 40_000, 300_000, 900_000, 1_048_576, 1_100_000, 2_000_000, 3_145_728, 4_000_000];
    for (const size of sizes) {
      text += "x".repeat(3) + logLines(size, size - text.length - 3);
      text = text.slice(0, size);
      fs.writeFileSync(log, text);
      expect(put(fileAt(disk, log)).kind).toBe("kept");
      expect(bytesOf(open(), log)?.toString() === text).toBe(true);
      expect(chunkNames(raw)).toHaveLength(Math.ceil(size / CHUNK_BYTES));
      const proof = open().prove(session);
      expect(proof).toMatchObject({ generations: [1], bytes: size, damages: [], strays: 0 });
      expect(open().get(session)?.files[0]?.sha256).toBe(sha256(text));
    }
  });

  it("writes nothing where nothing changed", () => {
    const { log, raw, put, open } = ground();
    fs.writeFileSync(log, logLines(1, 2_000_000));
    put(fileAt(disk, log));
    const before = filesBelow(raw);
    const archive = openRawArchive(readOnlyDisk(disk), raw);
    expect(archive.put(session, [fileAt(disk, log)]).kind).toBe("unchanged");
    archive.close();
    expect(filesBelow(raw)).toEqual(before);
    expect(open().list().sessions).toHaveLength(1);
  });

  it("only notes the new time of a log that was touched", () => {
    const { log, put, open } = ground();
    fs.writeFileSync(log, "one\n");
    const first = put(fileAt(disk, log)).session;
    fs.utimesSync(log, 1_600_000_000, 1_600_000_000);
    const second = put(fileAt(disk, log));
    expect(second).toMatchObject({ kind: "unchanged", startedGeneration: false });
    expect(second.session?.state).toBe(first?.state);
    expect(open().get(session)?.files[0]?.mtimeMs).toBe(1_600_000_000_000);
  });

  it.each([
    ["shortened", (text: string) => text.slice(0, -100)],
    [
      "edited in the middle and longer",
      (text: string) => `${text.replace("line 79190", "LINE 79190")}more\n`,
    ],
    ["of the same length with other content", (text: string) => text.replace("user", "USER")],
  ])("begins a generation for a log that was %s, and keeps the one before", (_, edit) => {
    const { log, put, open } = ground();
    const before = logLines(1, 3_000_000);
    const after = edit(before);
    fs.writeFileSync(log, before);
    put(fileAt(disk, log));
    fs.writeFileSync(log, after);
    fs.utimesSync(log, 1_800_000_000, 1_800_000_000);
    const done = put(fileAt(disk, log));
    expect(done).toMatchObject({ kind: "kept", startedGeneration: true, session: { generation: 2 } });
    expect(bytesOf(open(), log, 1)?.toString() === before).toBe(true);
    expect(bytesOf(open(), log, 2)?.toString() === after).toBe(true);
    expect(bytesOf(open(), log)?.toString() === after).toBe(true);
    expect(open().get(session)?.generations).toEqual([1, 2]);
    expect(open().prove(session)).toMatchObject({ damages: [], strays: 0 });
  });

  it("shares what a new generation has in common with the one before", () => {
    const { log, raw, put, open } = ground();
    const common = logLines(1, 3 * CHUNK_BYTES);
    fs.writeFileSync(log, `${common}old end`);
    put(fileAt(disk, log));
    const before = chunkNames(raw).length;
    fs.writeFileSync(log, `${common}new end`);
    put(fileAt(disk, log));
    expect(chunkNames(raw).length).toBe(before + 1);
    expect(bytesOf(open(), log)?.toString() === `${common}new end`).toBe(true);
  });

  it("takes a copy of the same bytes in another folder once", () => {
    const { folder, raw, put, open } = ground();
    const paths = [join(folder, "a.jsonl"), join(folder, "b.jsonl")];
    for (const path of paths) fs.writeFileSync(path, logLines(1, 100_000));
    put(...paths.map((path) => fileAt(disk, path)));
    expect(chunkNames(raw)).toHaveLength(1);
    expect(paths.map((path) => bytesOf(open(), path)?.length)).toEqual(
      paths.map((path) => fs.statSync(path).size),
    );
  });

  it("keeps every state of a list of work without beginning a generation", () => {
    const { folder, log, put, open } = ground();
    const task = join(folder, "1.json");
    fs.writeFileSync(log, "log\n");
    for (const status of ["pending", "in_progress", "completed", "pending"]) {
      fs.writeFileSync(task, JSON.stringify({ status }));
      expect(put(fileAt(disk, log), fileAt(disk, task, "task")).session?.generation).toBe(1);
    }
    const kept = open().get(session);
    const texts = kept?.earlier.map((file) => readAll(kept.read(file)).toString());
    expect(texts).toEqual(['{"status":"pending"}', '{"status":"in_progress"}', '{"status":"completed"}']);
    expect(bytesOf(open(), task)?.toString()).toBe('{"status":"pending"}');
    expect(open().prove(session)).toMatchObject({ damages: [], strays: 0 });
  });

  it("keeps a file that vanished, also in a new generation", () => {
    const { folder, log, put, open } = ground();
    const agent = join(folder, "agent-1.jsonl");
    fs.writeFileSync(log, "main\n");
    fs.writeFileSync(agent, "sub-agent\n");
    put(fileAt(disk, log), fileAt(disk, agent, "subagent"));
    fs.rmSync(agent);
    fs.writeFileSync(log, "MAIN rewritten\n");
    expect(put(fileAt(disk, log)).session?.generation).toBe(2);
    expect(bytesOf(open(), agent)?.toString()).toBe("sub-agent\n");
  });

  it("knows a log again that was moved to another folder", () => {
    const { folder, log, raw, put, open } = ground();
    const text = logLines(1, 200_000);
    fs.writeFileSync(log, text);
    put(fileAt(disk, log));
    const moved = join(folder, "elsewhere", "log.jsonl");
    fs.mkdirSync(join(folder, "elsewhere"));
    fs.renameSync(log, moved);
    fs.appendFileSync(moved, "more\n");
    expect(put(fileAt(disk, moved))).toMatchObject({ kind: "kept", startedGeneration: false });
    expect(
      open()
        .get(session)
        ?.files.map(({ path }) => path),
    ).toEqual([moved]);
    expect(bytesOf(open(), moved)?.toString() === `${text}more\n`).toBe(true);
    expect(chunkNames(raw)).toHaveLength(1);
  });

  it("goes on with the log of a record under whatever name it is put", () => {
    const { folder, log, put, open } = ground();
    fs.writeFileSync(log, "one\n");
    put(fileAt(disk, log));
    const moved = join(folder, "moved", "other-name.jsonl");
    fs.mkdirSync(join(folder, "moved"));
    fs.renameSync(log, moved);
    fs.appendFileSync(moved, "two\n");
    expect(put(fileAt(disk, moved))).toMatchObject({ kind: "kept", generation: 1 });
    expect(open().get(session)?.files).toMatchObject([{ path: moved, size: 8 }]);
  });

  it("keeps copies of one log in records of their own", () => {
    const { folder, log, open } = ground();
    const copy = join(folder, "copy.jsonl");
    fs.writeFileSync(log, "one\n");
    fs.writeFileSync(copy, "two\n");
    const second = { ...session, copy: copyHash(folder, copy) };
    const archive = open();
    archive.put(session, [fileAt(disk, log)]);
    archive.put(second, [fileAt(disk, copy)]);
    archive.close();
    expect(open().copies(session)).toEqual([session, second]);
    expect(open().get(second)?.files).toMatchObject([{ path: copy }]);
    expect(open().get(session)?.files).toMatchObject([{ path: log }]);
    const names = open()
      .list()
      .sessions.map(({ copy: name }) => name);
    expect(names).toHaveLength(2);
    expect(new Set(names)).toEqual(new Set([second.copy, null]));
  });

  it("keeps the beginning of a log that grows while it is read", () => {
    const { log, raw, open } = ground();
    const text = logLines(1, 600_000);
    fs.writeFileSync(log, text);
    const growing = diskThatPausesAt(
      disk,
      1,
      () => fs.appendFileSync(log, "late line\n"),
      ({ name, path }) => name === "read" && path === log,
    );
    const done = openRawArchive(disk, raw).put(session, [fileAt(growing, log)]);
    expect(done).toMatchObject({ kind: "kept", problems: [] });
    expect(bytesOf(open(), log)?.toString() === text).toBe(true);
    expect(openRawArchive(disk, raw).put(session, [fileAt(disk, log)]).kind).toBe("kept");
    expect(bytesOf(open(), log)?.toString() === `${text}late line\n`).toBe(true);
  });

  it("reads a log again that was rewritten while it was read", () => {
    const { log, raw, open } = ground();
    fs.writeFileSync(log, logLines(1, 600_000));
    const unsteady = diskThatPausesAt(
      disk,
      1,
      () => fs.writeFileSync(log, "all new\n"),
      ({ name, path }) => name === "read" && path === log,
    );
    const done = openRawArchive(disk, raw).put(session, [fileAt(unsteady, log)]);
    expect(done).toMatchObject({ kind: "kept", problems: [] });
    expect(bytesOf(open(), log)?.toString()).toBe("all new\n");
  });

  it("gives up on a log that is never at rest, and says so", () => {
    const { log, raw } = ground();
    fs.writeFileSync(log, logLines(1, 600_000));
    let round = 0;
    const restless = {
      ...fileAt(disk, log),
      open: () => {
        fs.writeFileSync(log, logLines(++round, 600_000));
        const opened = fileAt(disk, log).open();
        return { ...opened, isStill: () => false };
      },
    };
    const done = openRawArchive(disk, raw).put(session, [restless]);
    expect(done.kind).toBe("absent");
    expect(done.problems).toEqual([{ path: log, what: "it kept changing while it was read" }]);
  });

  it("keeps the others where one file can't be read", () => {
    const { folder, log, raw, open } = ground();
    const secret = join(folder, "secret.jsonl");
    fs.writeFileSync(log, "log\n");
    fs.writeFileSync(secret, "secret\n");
    const sick = unreadableDisk(disk, (path) => path === secret);
    const done = openRawArchive(disk, raw).put(session, [
      fileAt(sick, secret, "subagent"),
      fileAt(disk, log),
    ]);
    expect(done).toMatchObject({ kind: "kept", problems: [{ path: secret }] });
    expect(bytesOf(open(), log)?.toString()).toBe("log\n");
  });

  it("takes a file that vanished meanwhile for no problem", () => {
    const { folder, log, raw } = ground();
    const passing = join(folder, "passing.jsonl");
    fs.writeFileSync(log, "log\n");
    fs.writeFileSync(passing, "passing\n");
    const files = [fileAt(disk, log), fileAt(disk, passing, "subagent")];
    fs.rmSync(passing);
    expect(openRawArchive(disk, raw).put(session, files)).toMatchObject({ kind: "kept", problems: [] });
  });

  it("says that the disk is full, and what was kept before stays", () => {
    const { log, raw, put, open } = ground();
    const text = logLines(1, 400_000);
    fs.writeFileSync(log, text);
    put(fileAt(disk, log));
    fs.appendFileSync(log, logLines(50_000, 400_000));
    for (const room of [0, 1, 1_000, 20_000]) {
      const full = openRawArchive(diskThatIsFull(disk, room), raw);
      expect(() => full.put(session, [fileAt(disk, log)])).toThrow(UserError);
      expect(bytesOf(open(), log)?.toString() === text).toBe(true);
      expect(open().prove(session).damages).toEqual([]);
    }
    put(fileAt(disk, log));
    expect(bytesOf(open(), log)?.equals(fs.readFileSync(log))).toBe(true);
    expect(open().prove(session)).toMatchObject({ damages: [], strays: 0 });
  });

  it("says that the disk is read-only", () => {
    const { log, raw } = ground();
    fs.writeFileSync(log, "log\n");
    expect(() => openRawArchive(readOnlyDisk(disk), raw).put(session, [fileAt(disk, log)])).toThrow(
      /read-only/,
    );
  });

  it("mends damaged chunks from their source if asked to look", () => {
    const { log, raw, put, open } = ground();
    fs.writeFileSync(log, logLines(1, 2_500_000));
    put(fileAt(disk, log));
    const [first = "", second = ""] = [...filesBelow(raw).keys()].filter((name) => name.endsWith(".br"));
    fs.writeFileSync(join(raw, first), "rubbish");
    fs.rmSync(join(raw, second));
    expect(open().prove(session).damages).toHaveLength(2);
    expect(open().put(session, [fileAt(disk, log)]).mended).toBe(0);
    const done = open().put(session, [fileAt(disk, log)], { thorough: true });
    expect(done).toMatchObject({ kind: "unchanged", mended: 2 });
    expect(open().prove(session).damages).toEqual([]);
  });

  it("never shares a damaged chunk with a new generation", () => {
    const { log, raw, put, open } = ground();
    const common = logLines(1, CHUNK_BYTES);
    fs.writeFileSync(log, `${common.slice(0, CHUNK_BYTES)}old`);
    put(fileAt(disk, log));
    for (const name of filesBelow(raw).keys()) {
      if (name.endsWith(".br")) fs.writeFileSync(join(raw, name), "rubbish");
    }
    fs.writeFileSync(log, `${common.slice(0, CHUNK_BYTES)}new`);
    put(fileAt(disk, log));
    expect(bytesOf(open(), log)?.equals(fs.readFileSync(log))).toBe(true);
  });

  it("begins a generation beside one whose record is damaged, and touches nothing of that", () => {
    const { log, raw, put, open } = ground();
    fs.writeFileSync(log, "first\n");
    put(fileAt(disk, log));
    const record = join(raw, "claude", session.id, "1", "manifest.json");
    fs.writeFileSync(record, fs.readFileSync(record, "utf8").replace("main", "MAIN"));
    const before = filesBelow(join(raw, "claude", session.id, "1"));
    fs.appendFileSync(log, "second\n");
    const done = put(fileAt(disk, log));
    expect(done).toMatchObject({ kind: "kept", session: { generation: 2 } });
    expect(done.problems).toHaveLength(1);
    expect(bytesOf(open(), log)?.toString()).toBe("first\nsecond\n");
    expect(filesBelow(join(raw, "claude", session.id, "1"))).toEqual(before);
  });

  it("gives the readable copy its name once", () => {
    const { log, raw } = ground();
    fs.writeFileSync(log, "first\n");
    const archive = openRawArchive(disk, raw);
    const named = archive.put(session, [fileAt(disk, log)], {
      nameMarkdown: (kept) => {
        const [file] = kept.files;
        return file === undefined ? null : `of ${readAll(kept.read(file)).toString().trim()}.md`;
      },
    });
    expect(named.session?.markdown).toBe("of first.md");
    fs.writeFileSync(log, "rewritten\n");
    const again = archive.put(session, [fileAt(disk, log)], { nameMarkdown: () => "other.md" });
    expect(again.session).toMatchObject({ generation: 2, markdown: "of first.md" });
  });

  it("names a copy later where only the bytes were kept at first", () => {
    const { log, raw, put } = ground();
    fs.writeFileSync(log, "first\n");
    put(fileAt(disk, log));
    const archive = openRawArchive(disk, raw);
    const named = archive.put(session, [fileAt(disk, log)], { nameMarkdown: () => "name.md" });
    expect(named).toMatchObject({ kind: "unchanged", session: { markdown: "name.md", generation: 1 } });
  });

  it("equals its source after any history of appends, rewrites and touches", () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant("append" as const), bytes: fc.integer({ min: 1, max: 900_000 }) }),
      fc.record({ kind: fc.constant("rewrite" as const), bytes: fc.integer({ min: 0, max: 1_300_000 }) }),
      fc.record({ kind: fc.constant("touch" as const), bytes: fc.constant(0) }),
    );
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 8 }), (steps) => {
        const folder = fs.mkdtempSync(join(temporaryFolder(), "run-"));
        const raw = join(folder, "raw");
        const log = join(folder, "log.jsonl");
        const states: Buffer[] = [];
        fs.writeFileSync(log, "begin\n");
        for (const [index, { kind, bytes }] of steps.entries()) {
          if (kind === "append") fs.appendFileSync(log, logLines(index * 100_000, bytes).slice(0, bytes));
          if (kind === "rewrite") fs.writeFileSync(log, `${index}${logLines(index, bytes).slice(0, bytes)}`);
          fs.utimesSync(log, 1_700_000_000 + index, 1_700_000_000 + index);
          const archive = openRawArchive(disk, raw);
          const generation = archive.put(session, [fileAt(disk, log)]).session?.generation ?? 0;
          archive.close();
          states[generation] = fs.readFileSync(log);
        }
        const archive = openRawArchive(disk, raw);
        for (const [generation, bytes] of states.entries()) {
          if (generation > 0) expect(bytesOf(archive, log, generation)?.equals(bytes)).toBe(true);
        }
        expect(archive.prove(session)).toMatchObject({ damages: [], strays: 0 });
      }),
      { numRuns: 25 },
    );
  });
});

describe("read()", () => {
  it("begins anywhere", () => {
    const { log, put, open } = ground();
    const bytes = Buffer.from(logLines(1, 2_200_000));
    fs.writeFileSync(log, bytes);
    put(fileAt(disk, log));
    const kept = open().get(session);
    const file = kept?.files[0];
    if (kept === undefined || file === undefined) throw new Error("nothing was kept");
    for (const from of [
      0,
      1,
      CHUNK_BYTES - 1,
      CHUNK_BYTES,
      CHUNK_BYTES + 5,
      bytes.length - 1,
      bytes.length,
    ]) {
      expect(readAll(kept.read(file, from)).equals(bytes.subarray(from))).toBe(true);
    }
  });

  it("goes on where a log is archived again meanwhile", () => {
    const { log, put, open } = ground();
    const text = logLines(1, 1_500_000);
    fs.writeFileSync(log, text);
    put(fileAt(disk, log));
    const kept = open().get(session);
    const file = kept?.files[0];
    if (kept === undefined || file === undefined) throw new Error("nothing was kept");
    fs.appendFileSync(log, "more\n");
    put(fileAt(disk, log));
    expect(readAll(kept.read(file)).toString() === text).toBe(true);
  });

  it("hands out no byte that it can't prove", () => {
    const { log, raw, put, open } = ground();
    fs.writeFileSync(log, "one line\n");
    put(fileAt(disk, log));
    const other = join(raw, "..", "other.jsonl");
    fs.writeFileSync(other, "a liar!!\n");
    put(fileAt(disk, other));
    const [first = "", second = ""] = [...filesBelow(raw).keys()].filter((name) => name.endsWith(".br"));
    fs.copyFileSync(join(raw, first), join(raw, second));
    const kept = open().get(session);
    const outcomes = kept?.files.map((file) => {
      try {
        return readAll(kept.read(file)).toString();
      } catch (error) {
        return error instanceof ArchiveDamage ? "damaged" : String(error);
      }
    });
    expect(outcomes).toContain("damaged");
  });
});

describe("list()", () => {
  it("is the same with and without its catalogue", () => {
    const { folder, raw } = ground();
    const archive = openRawArchive(disk, raw);
    for (let n = 0; n < 20; n++) {
      const path = join(folder, `${n}.jsonl`);
      fs.writeFileSync(path, `log ${n}\n`);
      archive.put({ agent: n % 2 === 0 ? "claude" : "pi", id: `Session ${n}`, copy: null }, [
        fileAt(disk, path),
      ]);
    }
    archive.close();
    const sorted = (): readonly unknown[] =>
      openRawArchive(disk, raw)
        .list()
        .sessions.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    const fast = sorted();
    expect(fast).toHaveLength(20);
    fs.rmSync(join(raw, "catalog.json"));
    expect(sorted()).toEqual(fast);
  });

  it("reads no manifest where the catalogue is up to date", () => {
    const { log, raw, put } = ground();
    fs.writeFileSync(log, "log\n");
    put(fileAt(disk, log));
    // As if it had been written a while after the session was put.
    const { mtimeMs } = fs.statSync(join(raw, "catalog.json"));
    fs.utimesSync(join(raw, "catalog.json"), mtimeMs / 1000 + 1, mtimeMs / 1000 + 1);
    const blind = unreadableDisk(disk, (path) => path.endsWith("manifest.json"));
    expect(openRawArchive(blind, raw).list().sessions).toHaveLength(1);
  });

  it("sees what was put by a run that never closed", () => {
    const { log, raw, put } = ground();
    fs.writeFileSync(log, "log\n");
    put(fileAt(disk, log));
    fs.appendFileSync(log, "more\n");
    openRawArchive(disk, raw).put(session, [fileAt(disk, log)]);
    expect(openRawArchive(disk, raw).list().sessions[0]?.bytes).toBe("log\nmore\n".length);
  });

  it.each(["rubbish", "", '{"version":1,"sessions":[]}\n'])(
    "does without a catalogue that says %j",
    (text) => {
      const { log, raw, put } = ground();
      fs.writeFileSync(log, "log\n");
      put(fileAt(disk, log));
      fs.writeFileSync(join(raw, "catalog.json"), text);
      expect(openRawArchive(disk, raw).list().sessions).toHaveLength(1);
    },
  );

  it("hands notes back as long as it remembers them", () => {
    const { log, raw, put } = ground();
    fs.writeFileSync(log, "log\n");
    put(fileAt(disk, log));
    const archive = openRawArchive(disk, raw);
    archive.setNote(session, "a note");
    archive.close();
    expect(openRawArchive(disk, raw).list().sessions[0]?.note).toBe("a note");
    fs.rmSync(join(raw, "catalog.json"));
    expect(openRawArchive(disk, raw).list().sessions[0]?.note).toBeNull();
  });

  it("takes a folder that somebody renamed for no session", () => {
    const { log, raw, put } = ground();
    fs.writeFileSync(log, "log\n");
    put(fileAt(disk, log));
    fs.renameSync(join(raw, "claude", session.id), join(raw, "claude", "renamed"));
    const { sessions, unreadable } = openRawArchive(disk, raw).list();
    expect(sessions).toEqual([]);
    expect(unreadable).toMatchObject([{ location: join(raw, "claude", "renamed") }]);
  });

  it("is empty where there is no archive", () => {
    expect(openRawArchive(disk, join(temporaryFolder(), "none")).list()).toEqual({
      sessions: [],
      unreadable: [],
    });
  });
});

describe("repeat()", () => {
  it("makes an earlier generation the newest, without a copy of its bytes", () => {
    const { log, raw, put, open } = ground();
    for (const text of ["first\n", "SECOND\n"]) {
      fs.writeFileSync(log, text);
      put(fileAt(disk, log));
    }
    const chunks = chunkNames(raw).length;
    expect(open().repeat(session, 1)?.generation).toBe(3);
    expect(bytesOf(open(), log)?.toString()).toBe("first\n");
    expect(chunkNames(raw)).toHaveLength(chunks);
    expect(open().repeat(session, 3)?.generation).toBe(3);
    expect(open().repeat(session, 9)).toBeUndefined();
  });
});
