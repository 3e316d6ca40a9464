import type { SessionFile, SessionFiles } from "../../agents/agent.ts";
import { type ByteSource, diskSource } from "../../agents/byte-source.ts";
import { readSession } from "../../agents/read-session.ts";
import { identifySession } from "../../archive/archive-sessions.ts";
import { archiveSource, sessionFilesOf } from "../../archive/archive-source.ts";
import { openArchive } from "../../archive/open-archive.ts";
import { extractDigest } from "../../extract/extract-digest.ts";
import { isExcluded } from "../../fs/config.ts";
import type { Disk } from "../../fs/disk.ts";
import type { Library } from "../../fs/library.ts";
import type { Session } from "../../session/session.ts";
import { defaultTextLimits } from "../../session/text-budget.ts";
import { filterSessions } from "../filter-sessions.ts";
import type { SessionFilter } from "../query/session-filter.ts";
import { bytesOf, type Origin, sessionRow } from "../refresh/session-row.ts";
import type { PlacedTexts } from "./file-texts.ts";
import type { GrepJob, GrepTaskData, SessionFacts } from "./grep-job.ts";
import { type SessionPlace, sessionPlaces } from "./session-places.ts";

/** The files of a session in one state of theirs. */
export interface SessionLayer {
  readonly files: SessionFiles;
  readonly source: ByteSource;
  /** The same for reading the whole session while a file of it is being searched: a source has one buffer. */
  readonly second: ByteSource;
  /** null: as they are now. */
  readonly generation: number | null;
}

/** Finds the states of sessions that are to be searched: as it is now, then archived ones, newest first. */
export function createLayers(library: {
  readonly disk: Disk;
  readonly places: Library["places"];
}): (job: Pick<GrepJob, "files" | "origin" | "generations">) => readonly SessionLayer[] {
  const disk = diskSource(library.disk);
  const second = diskSource(library.disk);
  return ({ files, origin, generations }) => {
    const layers: SessionLayer[] =
      origin === "log" ? [{ files, source: disk, second, generation: null }] : [];
    if (origin === "history" || (origin === "log" && generations === "none")) return layers;
    const archive = openArchive(library);
    for (const log of archive.copies(files)) {
      const newest = archive.get(log);
      for (const generation of (newest?.generations ?? []).toReversed()) {
        if (generation === newest?.generation && origin === "log" && generations === "older") continue;
        const kept = archive.get(log, generation);
        if (kept === undefined) continue;
        layers.push({
          files: sessionFilesOf(kept),
          source: archiveSource(() => kept),
          second: archiveSource(() => archive.get(log, generation)),
          generation,
        });
      }
    }
    return layers;
  };
}

/** A session in which something was found. */
export interface OpenedLayer {
  readonly facts: SessionFacts;
  placeOf(file: SessionFile, texts: Pick<PlacedTexts, "line" | "isSidechain">): SessionPlace;
}

/** Output and thinking are not needed to tell turns; calls are, to find what started a sub-agent. */
const LEAN = { ...defaultTextLimits, outputChars: 0, thinkingChars: 0 };

const NOWHERE: SessionPlace = { turn: null, turnAt: null, context: null };

/**
 * Reads the session to tell its turns, and whether it is wanted, where the index could not say so;
 * undefined where it is not, or where it is no session.
 */
export async function openLayer(
  layer: SessionLayer,
  { facts, origin }: Pick<GrepJob, "facts" | "origin">,
  { wish, config }: Pick<GrepTaskData, "wish" | "config">,
): Promise<OpenedLayer | undefined> {
  const files = identifySession(layer.second, layer.files);
  if (files === undefined) return undefined;
  const mustFit = facts === null && isNarrow(wish.filter);
  const session = readSession(layer.second, files, mustFit ? defaultTextLimits : LEAN);
  if (isExcluded({ config }, session)) return undefined;
  if (mustFit && !(await fits(session, files, origin, wish.filter))) return undefined;
  const places = sessionPlaces(session);
  // Several logs make one session, but lines of which nobody knows the file.
  const isOneLog = files.files.filter(({ role }) => role === "main" || role === "rotation").length === 1;
  return {
    facts: facts ?? sessionFactsOf(session),
    placeOf: ({ path, role }, { line, isSidechain }) => {
      if (role === "subagent") return places.ofSubagent(path);
      if (role === "spilled") return places.ofSpilled(path);
      return isOneLog && role === "main" ? places.ofLine(line, isSidechain) : NOWHERE;
    },
  };
}

export function isNarrow(filter: SessionFilter): boolean {
  return Object.values(filter).some((value) =>
    Array.isArray(value) ? value.length > 0 : value !== undefined,
  );
}

/** Asked of a catalog that has this session alone. */
export async function fits(
  session: Session,
  files: SessionFiles,
  origin: Origin,
  filter: SessionFilter,
): Promise<boolean> {
  const digest = extractDigest(session);
  const row = sessionRow(digest, [], files, origin, "");
  const found = await filterSessions(
    {
      rows: [
        { digest: row, state: "idle", source: row.lead, copies: 1, archive: null, bytes: bytesOf(files) },
      ],
      problems: [],
      coverage: { sessions: 1, turns: row.turns, files: row.files, stale: 0, problems: 0, indexedAt: null },
      digestOf: async () => digest,
    },
    filter,
  );
  return found.length > 0;
}

export function sessionFactsOf(session: SessionFacts): SessionFacts {
  const { agent, id, title, project, branch, startedAt, endedAt } = session;
  return { agent, id, title, project, branch, startedAt, endedAt };
}
