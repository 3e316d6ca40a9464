import { appendFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { agents } from "../../src/agents/agents.ts";
import { refreshIndex } from "../../src/search/refresh/refresh-index.ts";
import { dumpIndex, dumpRebuilt, keepingEngine, keptTurns } from "../support/index-dump.ts";
import { makeLibrary } from "../support/make-library.ts";
import { lineEnds, parseBytes, parseInPieces } from "../support/parse-logs.ts";
import { createSeededRandom } from "../support/seeded-random.ts";
import { realHome } from "./support/real-home.ts";

const SAMPLE = 24;
const LONGEST = 3_000_000;
const SHARES = [0.35, 0.6, 0.61, 0.95, 1];

const CUTS = 12;

test.each(["pi", "codex", "claw"])("real logs of %s are read in pieces as they are read at once", (agent) => {
  const home = realHome();
  const format = agents.find((each) => each.name === agent);
  if (format === undefined) throw new Error(`No format for ${agent}`);
  const { int } = createSeededRandom(5);
  let read = 0;
  for (const path of filesBelow(home, `.${agent}`).filter((each) => /\.jsonl?$/.test(each))) {
    const bytes = readFileSync(join(home, path));
    const ends = lineEnds(bytes);
    if (ends.length === 0) continue;
    const whole = parseBytes(format, bytes);
    const cuts = Array.from({ length: CUTS }, () => ends[int(ends.length)] ?? 0);
    const inOrder = [...new Set(cuts)].sort((a, b) => a - b);
    for (const pieces of [...cuts.map((cut) => [cut]), inOrder]) {
      const parsed = parseInPieces(format, bytes, pieces);
      // A log that is written as a whole is read as a whole.
      if (parsed === undefined) continue;
      expect(parsed, path).toEqual(whole);
      read++;
    }
  }
  // The real ones of claw-code are all from before it wrote lines.
  if (agent !== "claw") expect(read).toBeGreaterThan(CUTS);
});

test("real logs that grow piece by piece give the index that is built from nothing", async () => {
  const home = realHome();
  const { int } = createSeededRandom(11);
  const logs = [".claude", ".pi", ".codex", ".claw"]
    .flatMap((agent) => filesBelow(home, agent))
    .filter((path) => path.endsWith(".jsonl") && statSync(join(home, path)).size < LONGEST);
  const sample = Array.from({ length: SAMPLE }, () => logs[int(logs.length)] ?? "");
  const files = [...new Set(sample)].map((path) => ({ path, bytes: readFileSync(join(home, path)), at: 0 }));
  expect(files.length).toBeGreaterThan(SAMPLE / 2);
  const library = makeLibrary();
  const engine = keepingEngine(library);
  let kept = 0;
  for (const share of SHARES) {
    for (const file of files) {
      const end = Math.ceil(file.bytes.length * share);
      const path = join(library.environment.home, file.path);
      mkdirSync(dirname(path), { recursive: true });
      if (file.at === 0) writeFileSync(path, "");
      appendFileSync(path, file.bytes.subarray(file.at, end));
      file.at = end;
    }
    await refreshIndex(library, {
      engine,
      checkpoints: { leastBytes: 0, mostBehind: 0, sinceMs: 0, room: 50_000_000 },
    });
    kept = Math.max(kept, keptTurns(library));
    expect(await dumpIndex(engine)).toEqual(await dumpRebuilt(library));
  }
  expect(kept).toBeGreaterThan(20);
});

function filesBelow(home: string, folder: string): readonly string[] {
  try {
    return readdirSync(join(home, folder), { recursive: true, encoding: "utf8" }).map((path) =>
      join(folder, path),
    );
  } catch {
    return [];
  }
}
