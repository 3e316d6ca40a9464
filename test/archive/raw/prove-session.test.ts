import { Buffer } from "node:buffer";
import fs from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { CHUNK_BYTES } from "../../../src/archive/raw/chunk.ts";
import { openRawArchive } from "../../../src/archive/raw/raw-archive.ts";
import type { LogKey } from "../../../src/session/session.ts";
import { randomFrom } from "../../crash/kill-at-random.ts";
import { quickDisk as disk } from "../../crash/quick-disk.ts";
import { temporaryFolder } from "../../crash/temporary-folder.ts";
import { fileAt, filesBelow, logLines, session } from "../../support/archive/source-files.ts";

/** So many sessions of a chunk and a half with two generations each. */
function makeArchive(count: number): { readonly raw: string; readonly sessions: readonly LogKey[] } {
  const folder = temporaryFolder();
  const raw = join(folder, "raw");
  const archive = openRawArchive(disk, raw);
  const sessions: LogKey[] = [];
  for (let n = 0; n < count; n++) {
    const log = join(folder, `${n}.jsonl`);
    const name: LogKey = { agent: "claude", id: `session-${n}`, copy: null };
    fs.writeFileSync(log, logLines(n * 1_000, 3_000));
    archive.put(name, [fileAt(disk, log)]);
    fs.writeFileSync(log, logLines(n * 1_000 + 500, 4_000));
    archive.put(name, [fileAt(disk, log)]);
    sessions.push(name);
  }
  archive.close();
  return { raw, sessions };
}

type Harm = (path: string, random: () => number) => void;

/** Each leaves a file that is not what was written. */
const harms: Readonly<Record<string, Harm>> = {
  "a flipped bit": (path, random) => {
    const bytes = fs.readFileSync(path);
    const at = Math.floor(random() * bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(random() * 8));
    fs.writeFileSync(path, bytes);
  },
  "a lost end": (path, random) => {
    fs.truncateSync(path, Math.floor(random() * fs.statSync(path).size));
  },
  "a missing file": (path) => fs.rmSync(path),
  "a stretch of zeros": (path, random) => {
    const bytes = fs.readFileSync(path);
    const from = Math.floor(random() * (bytes.length - 16));
    fs.writeFileSync(path, bytes.fill(0, from, from + 16));
  },
  "other content": (path, random) => fs.writeFileSync(path, Buffer.from(`rubbish ${random()}`)),
};

describe("prove()", () => {
  it("finds nothing wrong with a sound archive", () => {
    const { raw, sessions } = makeArchive(3);
    for (const name of sessions) {
      expect(openRawArchive(disk, raw).prove(name)).toMatchObject({
        ...name,
        generations: [1, 2],
        files: 2,
        damages: [],
        strays: 0,
      });
    }
  });

  it("names each of a hundred archives that were damaged at random, and no other", () => {
    const seed = 20_260;
    const random = randomFrom(seed);
    const { raw, sessions } = makeArchive(120);
    const names = Object.keys(harms);
    const harmed = sessions.slice(0, 100).map((name, n) => {
      const folder = join(raw, "claude", name.id);
      const files = [...filesBelow(folder).keys()];
      const file = files[Math.floor(random() * files.length)] ?? "";
      const harm = names[n % names.length] ?? "";
      const path = join(folder, file);
      const before = fs.readFileSync(path);
      harms[harm]?.(path, random);
      // Some bits of a packed file mean nothing: then the bytes are still proven, and nothing is wrong.
      return {
        name,
        file,
        harm,
        isHarmless: fs.existsSync(path) && isAsBefore(file, fs.readFileSync(path), before),
      };
    });
    const archive = openRawArchive(disk, raw);
    for (const { name, file, harm, isHarmless } of harmed) {
      const { damages } = archive.prove(name);
      const what = `${harm} in ${name.id}/${file} (seed ${seed})`;
      if (!isHarmless) expect(damages.length, what).toBeGreaterThan(0);
      for (const damage of damages) expect(damage.generation, what).toBe(Number(file.split("/")[0]));
      const isRecord = file.endsWith("manifest.json");
      for (const damage of damages) expect(damage.path === null, what).toBe(isRecord);
    }
    for (const name of sessions.slice(100)) expect(archive.prove(name).damages).toEqual([]);
  });

  it("names the damaged bytes, their file and every generation that shares them", () => {
    const folder = temporaryFolder();
    const raw = join(folder, "raw");
    const log = join(folder, "log.jsonl");
    const archive = openRawArchive(disk, raw);
    const common = logLines(1, CHUNK_BYTES * 2);
    for (const end of ["old", "NEW"]) {
      fs.writeFileSync(log, `${common}${end}`);
      archive.put(session, [fileAt(disk, log)]);
    }
    const second = archive.get(session, 1);
    expect(second?.generations).toEqual([1, 2]);
    // The chunk in the middle belongs to both generations.
    const manifest: unknown = JSON.parse(
      fs.readFileSync(join(raw, "claude", session.id, "1", "manifest.json"), "utf8").split("\n")[0] ?? "",
    );
    const hash = /"offset":1048576,"length":\d+,"sha256":"([0-9a-f]{64})"/.exec(
      JSON.stringify(manifest),
    )?.[1];
    fs.writeFileSync(join(raw, "claude", session.id, "1", `${hash}.br`), "rubbish");
    const { damages } = openRawArchive(disk, raw).prove(session);
    expect(damages).toEqual(
      [1, 2].map((generation) => ({
        generation,
        path: log,
        from: CHUNK_BYTES,
        to: 2 * CHUNK_BYTES,
        // How a runtime's unpacker takes damage differs.
        what: expect.stringMatching(/^its chunk file /),
      })),
    );
  });

  it("is not deceived by a packed file that would fill the memory", () => {
    const { raw } = makeArchive(1);
    const folder = join(raw, "claude", "session-0", "1");
    const chunk = fs.readdirSync(folder).find((name) => name.endsWith(".br")) ?? "";
    // Brotli of 64 MB of zeros: 60 bytes.
    const bomb = "WwAAAPj/P8BiABBaIwABAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    fs.writeFileSync(join(folder, chunk), Buffer.from(bomb, "base64"));
    expect(
      openRawArchive(disk, raw).prove({ agent: "claude", id: "session-0", copy: null }).damages,
    ).toHaveLength(1);
  });

  it("counts what nothing names, and calls it no damage", () => {
    const { raw } = makeArchive(1);
    const folder = join(raw, "claude", "session-0", "2");
    fs.writeFileSync(join(folder, `${"0".repeat(64)}.br`), "left by a killed run");
    fs.writeFileSync(join(folder, "notes.txt"), "somebody's own");
    expect(openRawArchive(disk, raw).prove({ agent: "claude", id: "session-0", copy: null })).toMatchObject({
      damages: [],
      strays: 1,
    });
  });
});

/** The same bytes, or packed bytes that unpack to the same. */
function isAsBefore(file: string, after: Buffer, before: Buffer): boolean {
  if (after.equals(before)) return true;
  if (!file.endsWith(".br")) return false;
  try {
    return brotliDecompressSync(after).equals(brotliDecompressSync(before));
  } catch {
    return false;
  }
}
