import type { SessionFile, SessionFiles } from "../../agents/agent.ts";
import { type ByteSource, diskSource } from "../../agents/byte-source.ts";
import { readSession } from "../../agents/read-session.ts";
import { identifySession } from "../../archive/archive-sessions.ts";
import { archiveSource, sessionFilesOf } from "../../archive/archive-source.ts";
import { withBases } from "../../archive/archived-bases.ts";
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
import { type SessionPlace, sessionPlaces, UNKNOWN_PLACE } from "./session-places.ts";

/** The files of a session in one state: as they are now, or as archived. */
export interface SessionLayer {
  readonly files: SessionFiles;
  readonly source: ByteSource;
  /** For parsing the whole session while `source` is in the middle of a file: a source has only one buffer. */
  readonly sessionSource: ByteSource;
  /** The archived generation; null: the present files. */
  readonly generation: number | null;
}

/** Finds the states of a session to search: the present files, then archived generations, newest first. */
export function createLayers(library: {
  readonly disk: Disk;
  readonly places: Library["places"];
}): (job: Pick<GrepJob, "files" | "origin" | "generations">) => readonly SessionLayer[] {
  const disk = diskSource(library.disk);
  const sessionSource = withBases(library, diskSource(library.disk));
  return ({ files, origin, generations }) => {
    const layers: SessionLayer[] =
      origin === "log" ? [{ files, source: disk, sessionSource, generation: null }] : [];
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
          sessionSource: withBases(
            library,
            archiveSource(() => archive.get(log, generation)),
          ),
          generation,
        });
      }
    }
    return layers;
  };
}

/** A parsed session with matches. */
export interface OpenedLayer {
  readonly facts: SessionFacts;
  placeOf(file: SessionFile, texts: Pick<PlacedTexts, "line" | "isSidechain">): SessionPlace;
}

/** Turns can be found without output and thinking; calls are needed to find what started a sub-agent. */
const TURNS_ONLY = { ...defaultTextLimits, outputChars: 0, thinkingChars: 0 };

/**
 * Reads the session to map its lines to turns, and applies the filters if the index could not. Returns undefined
 * if the session is filtered out or excluded, or if the files are not a session.
 */
export async function openLayer(
  layer: SessionLayer,
  { facts, origin }: Pick<GrepJob, "facts" | "origin">,
  { query, config }: Pick<GrepTaskData, "query" | "config">,
): Promise<OpenedLayer | undefined> {
  const files = identifySession(layer.sessionSource, layer.files);
  if (files === undefined) return undefined;
  const mustFilter = facts === null && hasFilters(query.filter);
  const session = readSession(layer.sessionSource, files, mustFilter ? defaultTextLimits : TURNS_ONLY);
  if (isExcluded({ config }, session)) return undefined;
  if (mustFilter && !(await matchesFilter(session, files, origin, query.filter))) return undefined;
  const places = sessionPlaces(session);
  // In a session of several logs, a line number does not say which file it is in.
  const isOneLog = files.files.filter(({ role }) => role === "main" || role === "rotation").length === 1;
  return {
    facts: facts ?? sessionFactsOf(session),
    placeOf: ({ path, role }, { line, isSidechain }) => {
      if (role === "subagent") return places.ofSubagent(path);
      if (role === "spilled") return places.ofSpilled(path);
      return isOneLog && role === "main" ? places.ofLine(line, isSidechain) : UNKNOWN_PLACE;
    },
  };
}

/** Whether any filter is set. */
export function hasFilters(filter: SessionFilter): boolean {
  return Object.values(filter).some((value) =>
    Array.isArray(value) ? value.length > 0 : value !== undefined,
  );
}

/** Applies the filters to a catalog that has only this session. */
export async function matchesFilter(
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
      coverage: {
        sessions: 1,
        stubs: 0,
        turns: row.turns,
        files: row.files,
        stale: 0,
        problems: 0,
        indexedAt: null,
      },
      digestOf: async () => digest,
    },
    filter,
  );
  return found.length > 0;
}

export function sessionFactsOf(session: SessionFacts): SessionFacts {
  const { agent, id, title, project, repository, worktree, branch, startedAt, endedAt } = session;
  return { agent, id, title, project, repository, worktree, branch, startedAt, endedAt };
}
