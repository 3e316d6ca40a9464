import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import fs from "node:fs";
import { basename, join } from "node:path";
import { openRawArchive } from "../../../src/archive/raw/raw-archive.ts";
import { readTombstones } from "../../../src/archive/raw/tombstones.ts";
import { isTempName } from "../../../src/fs/replace-file.ts";
import type { LogKey } from "../../../src/session/session.ts";
import { PI_SESSION, TOOL_SESSION } from "../../support/shrink/tool-log.ts";
import { quickDisk } from "../quick-disk.ts";
import { CLAUDE, UNSAFE, WORD } from "./command-rows.ts";
import type { Place } from "./place.ts";

/** Files of the user, by their path in the home. */
export type HomeFiles = ReadonlyMap<string, string>;

/** The files of the home that are not ours: logs, settings, skills, documents. Temp files are litter, and looked at apart. */
export function homeFiles({ home }: Place): HomeFiles {
  const found = new Map<string, string>();
  for (const path of filePaths(home)) {
    if (path.startsWith(".sessions/") || isOwnTemp(basename(path))) continue;
    found.set(path, fs.readFileSync(join(home, path), "latin1"));
  }
  return found;
}

/** Files that no run that ended well leaves: in the home or in the store, the lock of a dead process included. */
export function litter({ home }: Place): readonly string[] {
  return filePaths(home).filter(
    (path) =>
      isOwnTemp(basename(path)) ||
      /(^|\/)(lock|guard\.lock)$|\.heir$|\.new(\/|$)|rewrites\/open\/|dry-event\//.test(path),
  );
}

/** Also the second name that an old log has while it is replaced. */
function isOwnTemp(name: string): boolean {
  return isTempName(name) || /^\.sessions-[0-9a-f]{16}\.old$/.test(name);
}

function filePaths(folder: string): readonly string[] {
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted();
}

const known: ReadonlySet<string> = new Set([CLAUDE, UNSAFE, TOOL_SESSION, PI_SESSION]);

/** Without what differs from run to run: ids of new sessions, the present time. */
export function steady(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => (known.has(id) ? id : "<new id>"))
    .replaceAll(/session-\d{13}-\d+/g, (id) => (id === "session-1775400000000-0" ? id : "<new id>"))
    .replaceAll(/"id":"[0-9a-f]{8}"/g, '"id":"<new id>"')
    .replaceAll(/20\d\d-\d\d-\d\dT\d\d[:-]\d\d[:-]\d\d[.-]\d{3}Z/g, (time) =>
      time.startsWith("2026-10-20T08") ? time : "<now>",
    )
    .replaceAll(/"(updated_at_ms|created_at_ms|timestamp(?:_ms)?)":\d{13}/g, '"$1":<now>');
}

/** Files of the home, as they compare between runs: a fork that was made twice is one. */
export function steadyFiles(files: HomeFiles): readonly string[] {
  return unique([...files].map(([path, text]) => `${steady(path)}\n${steady(text)}`));
}

export function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].toSorted();
}

/** SHA-256 of every file of every generation in the archive, what was forgotten included. */
export function archivedHashes(place: Place): ReadonlySet<string> {
  const hashes = new Set<string>();
  for (const folder of ["raw", "forgotten"]) {
    for (const path of filePaths(join(place.store)).filter((each) => each.startsWith(`${folder}/`))) {
      if (basename(path) !== "manifest.json") continue;
      for (const [, hash] of fs
        .readFileSync(join(place.store, path), "utf8")
        .matchAll(/"sha256":"([0-9a-f]{64})"/g))
        hashes.add(hash ?? "");
    }
  }
  return hashes;
}

export function hashOf(text: string): string {
  return createHash("sha256").update(Buffer.from(text, "latin1")).digest("hex");
}

/** What the store says of itself: generations with their bytes, tombstones, sidecars, and what list and search answer. */
export async function storeState(place: Place): Promise<readonly string[]> {
  const { store } = place;
  const archive = openRawArchive(quickDisk, join(store, "raw"));
  const { sessions, unreadable } = archive.list();
  const kept = sessions.flatMap((session) => {
    const generations = archive.get(session)?.generations ?? [];
    const contents = generations.map((generation) => contentOf(place, session, generation));
    return [
      `newest ${steady(session.id)} ${contentOf(place, session)}`,
      ...contents.map((content) => `kept ${steady(session.id)} ${content}`),
    ];
  });
  const { stones } = readTombstones(quickDisk, join(store, "forgotten"));
  const flat = filePaths(store).filter((path) => path.startsWith("flat/"));
  const list = await place.command(["list", "--json", "--limit", "100"], { hours: 2 });
  const search = await place.command(["search", WORD, "--json"], { hours: 2 });
  return unique([
    ...kept,
    ...unreadable.map(({ location }) => `unreadable ${location}`),
    ...stones.map(({ agent, id, phase }) => `forgotten ${agent} ${id} ${phase}`),
    ...flat.map((path) => `sidecar ${steady(path)}`),
    ...(rowsOf(list.out, "sessions") ?? [`list: ${list.code} ${list.out}${list.err}`]),
    ...(rowsOf(search.out, "hits") ?? [`search: ${search.code} ${search.out}${search.err}`]),
  ]);
}

/** The files of a generation, the newest where none is named. Its number depends on how often a run was killed. */
function contentOf(place: Place, session: LogKey, generation?: number): string {
  const archive = openRawArchive(quickDisk, join(place.store, "raw"));
  const kept = archive.get(session, generation);
  if (kept === undefined) return "damaged";
  const files = kept.files.map((file) => {
    const bytes = Buffer.concat([...kept.read(file)].map((part) => Buffer.from(part)));
    return `${steady(file.path.replace(place.home, "~"))} ${hashOf(steady(bytes.toString("latin1")))}`;
  });
  return files.toSorted().join(", ");
}

/** undefined where the answer is none. */
function rowsOf(json: string, key: "sessions" | "hits"): readonly string[] | undefined {
  try {
    const answer: Readonly<Record<string, unknown>> = JSON.parse(json);
    const rows = answer[key];
    if (!Array.isArray(rows)) return undefined;
    return rows.map((row: Readonly<Record<string, unknown>>) => {
      const { sessionId, agent, title, turns, messages, compactions, state } = row;
      return `${key} ${steady(JSON.stringify([sessionId, agent, title, turns, messages, compactions, state]))}`;
    });
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
