import { Buffer } from "node:buffer";
import { closeSync, mkdirSync, openSync, utimesSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { createSeededRandom } from "../../support/seeded-random.ts";
import { lifelikeLog } from "./lifelike-log.ts";

/** Writes one lifelike log of about so many bytes; how many it became. */
export function writeLog(path: string, bytes: number, seed: number, cwd: string, startMs: number): number {
  const sessionId = path.replace(/^.*\//, "").replace(/\.jsonl$/, "");
  mkdirSync(dirname(path), { recursive: true });
  const file = openSync(path, "w");
  let written = 0;
  let block: string[] = [];
  let pending = 0;
  const flush = (): void => {
    const buffer = Buffer.from(block.join(""));
    writeSync(file, buffer);
    written += buffer.length;
    block = [];
    pending = 0;
  };
  for (const line of lifelikeLog(fractions(seed), { sessionId, cwd, startMs })) {
    block.push(line, "\n");
    pending += line.length + 1;
    if (pending > 4_000_000) flush();
    if (written + pending >= bytes) break;
  }
  flush();
  closeSync(file);
  utimesSync(path, startMs / 1000, startMs / 1000);
  return written;
}

/** Writes a whole Claude Code folder of about so many bytes in logs of very different lengths. */
export function writeHome(
  folder: string,
  bytes: number,
  seed: number,
): { readonly files: number; readonly bytes: number } {
  const random = fractions(seed);
  let total = 0;
  let files = 0;
  while (total < bytes) {
    const project = `/home/ana/project-${Math.floor(random() ** 2 * 40)}`;
    const id = `${files.toString(16).padStart(8, "0")}-0000-4000-8000-${Math.floor(random() * 2 ** 40)
      .toString(16)
      .padStart(12, "0")}`;
    // From a few kilobytes to some megabytes, most of them small.
    const size = Math.min(bytes - total + 20_000, Math.floor(8_000 * Math.exp(random() * 6.6)));
    const startMs = Date.UTC(2026, 0, 1) + Math.floor(random() * 300) * 86_400_000;
    total += writeLog(
      join(folder, "projects", project.replaceAll("/", "-"), `${id}.jsonl`),
      size,
      seed + files + 1,
      project,
      startMs,
    );
    files++;
  }
  return { files, bytes: total };
}

/** Writes many small logs: what a refresh has to look at. */
export function writeSmallFiles(folder: string, files: number, seed: number): void {
  for (let index = 0; index < files; index++) {
    const project = `/home/ana/project-${index % 50}`;
    const id = `${index.toString(16).padStart(8, "0")}-1111-4000-8000-000000000000`;
    const path = join(folder, "projects", project.replaceAll("/", "-"), `${id}.jsonl`);
    writeLog(path, 4_000, seed + index, project, Date.UTC(2026, 0, 1) + index * 60_000);
  }
}

/** Numbers from 0 up to 1, the same for the same seed. */
function fractions(seed: number): () => number {
  const { int } = createSeededRandom(seed);
  return () => int(2 ** 32) / 2 ** 32;
}
