import { createHash } from "node:crypto";
import type { SessionFile } from "../../agents/agent.ts";
import { reasonOf } from "../../agents/isolate.ts";
import type { Problem } from "../../errors.ts";
import type { Disk } from "../../fs/disk.ts";
import { createRedactor, type Redactor } from "../../redact/redact.ts";
import type { TextRole } from "../../session/text-role.ts";
import { sessionOfStub } from "../history-stubs.ts";
import { createByteFilter } from "./byte-filter.ts";
import { createFindInData } from "./data-secrets.ts";
import { type PlacedTexts, textsOfFile } from "./file-texts.ts";
import type { GrepHit, GrepJob, GrepQuery, GrepStep, GrepTaskData } from "./grep-job.ts";
import { type HitPlace, type MatchingText, makeHits, matchTexts } from "./make-hits.ts";
import {
  createLayers,
  hasFilters,
  matchesFilter,
  type OpenedLayer,
  openLayer,
  type SessionLayer,
  sessionFactsOf,
} from "./session-layers.ts";
import type { SessionPlace } from "./session-places.ts";

/** Searches sessions, one at a time. */
export type ScanSession = (job: GrepJob) => AsyncGenerator<GrepStep, void, void>;

/** Whether the time for a file is up; called between lines. */
type IsTimeUp = (step: Extract<GrepStep, { kind: "file" }>) => boolean;

/** Hits reported in one step. */
const BATCH = 200;

export function createScanner(data: GrepTaskData, disk: Disk, isTimeUp: IsTimeUp = () => false): ScanSession {
  const { query, places, config } = data;
  const regex = new RegExp(query.pattern.source, query.pattern.flags);
  const filter = createByteFilter(query.pattern);
  const roles = new Set<TextRole>(query.roles);
  const redactor = query.reveal ? undefined : createRedactor({ extra: config.redact });
  const findInData = redactor && createFindInData(redactor);
  const layersOf = createLayers({ disk, places });

  async function* scanSession(job: GrepJob): AsyncGenerator<GrepStep, void, void> {
    try {
      yield* scanFiles(job);
    } catch (error) {
      const path = job.files.files[0]?.path ?? "";
      yield { kind: "problem", problem: { path, line: 0, what: `cannot be searched: ${reasonOf(error)}` } };
    }
  }

  async function* scanFiles(job: GrepJob): AsyncGenerator<GrepStep, void, void> {
    if (job.origin === "history") {
      yield* scanHistory(job, { ...data, regex, redactor });
      return;
    }
    const layers = layersOf(job);
    /** Hashes of the texts found in newer states of the session. */
    const seen = new Set<string>();
    let number = -1;
    let facts = job.facts;
    for (const layer of layers) {
      const seenHere: string[] = [];
      let opened: OpenedLayer | undefined;
      for (const file of layer.files.files) {
        number++;
        if (number < job.fromFile) continue;
        const step = { kind: "file", file: number, path: file.path, bytes: file.size } as const;
        yield step;
        const problems: Problem[] = [];
        let hits: GrepHit[] = [];
        for (const found of scanFile(layer, file, () => isTimeUp(step), problems)) {
          const fresh = layers.length === 1 ? found.matching : unseenTexts(found.matching, seen, seenHere);
          if (fresh.length === 0) continue;
          if (query.sessionsOnly && facts !== null && !filtersByTurn(query.filter)) {
            yield { kind: "hits", facts, hits };
            return;
          }
          opened ??= await openLayer(layer, { ...job, facts }, data);
          if (opened === undefined) return;
          facts = opened.facts;
          const place = opened.placeOf(file, found.texts);
          if (!matchesTurn(place, found.texts.at)) continue;
          if (query.sessionsOnly) {
            yield { kind: "hits", facts, hits };
            return;
          }
          const generation = layer === layers[0] ? null : layer.generation;
          for (const hit of hitsIn(fresh, found.texts, { ...place, path: file.path, generation })) {
            hits.push(hit);
            if (hits.length < BATCH) continue;
            yield { kind: "hits", facts, hits };
            hits = [];
          }
        }
        if (hits.length > 0 && facts !== null) yield { kind: "hits", facts, hits };
        for (const problem of problems) yield { kind: "problem", problem };
      }
      for (const hash of seenHere) seen.add(hash);
    }
  }

  function* scanFile(
    { source, files }: SessionLayer,
    file: SessionFile,
    isFileTimeUp: () => boolean,
    problems: Problem[],
  ): Generator<{ readonly texts: PlacedTexts; readonly matching: readonly MatchingText[] }> {
    const { path } = file;
    try {
      if (filter !== undefined && !filter.mayMatchIn(source.chunks(path))) return;
      for (const texts of textsOfFile(source, files.agent, file, filter)) {
        if (isFileTimeUp()) {
          problems.push({
            path,
            line: texts.line,
            what: "search stopped here: time limit for this file reached",
          });
          return;
        }
        if (texts.skippedBytes > 0) problems.push(tooLong(path, texts));
        const matching = matchTexts(texts.texts, regex, roles);
        if (matching.length > 0) yield { texts, matching };
      }
    } catch (error) {
      problems.push({ path, line: 0, what: `cannot be read: ${source.explain(error)}` });
    }
  }

  function* hitsIn(
    matching: readonly MatchingText[],
    texts: PlacedTexts,
    place: HitPlace,
  ): Generator<GrepHit> {
    for (const each of matching)
      yield* makeHits(each, texts, place, { contextLines: query.contextLines, redactor, findInData });
  }

  /** Filters by the time of the turn, like every other command, and by its context. */
  function matchesTurn({ turnAt, context }: SessionPlace, lineAt: number | null): boolean {
    const { since, until, contexts } = query.filter;
    if (contexts.length > 0 && (context === null || !contexts.includes(context))) return false;
    const at = turnAt ?? lineAt;
    return at === null || (at >= (since ?? at) && at <= (until ?? at));
  }

  return scanSession;
}

function tooLong(path: string, { line, skippedBytes }: PlacedTexts): Problem {
  const what = `line too long to search completely: ${skippedBytes} bytes inside its long texts were skipped`;
  return { path, line, what };
}

function filtersByTurn({ since, until, contexts }: GrepQuery["filter"]): boolean {
  return since !== undefined || until !== undefined || contexts.length > 0;
}

/** Returns the texts that no newer state of the session has, and adds the hashes of all to `seenHere`. */
function unseenTexts(
  matching: readonly MatchingText[],
  seen: ReadonlySet<string>,
  seenHere: string[],
): readonly MatchingText[] {
  return matching.filter(({ role, text }) => {
    const hash = createHash("sha1").update(`${role}\0${text}`).digest("base64");
    seenHere.push(hash);
    return !seen.has(hash);
  });
}

/** Searches a session that survives only in the prompt history. */
async function* scanHistory(
  { files, prompts = [], project = null }: GrepJob,
  {
    query,
    regex,
    redactor,
  }: GrepTaskData & { readonly regex: RegExp; readonly redactor: Redactor | undefined },
): AsyncGenerator<GrepStep, void, void> {
  const { since, until, contexts } = query.filter;
  if (!query.roles.includes("request") || (contexts.length > 0 && !contexts.includes("current"))) return;
  const hits: GrepHit[] = [];
  const options = { contextLines: query.contextLines, redactor, findInData: undefined };
  for (const [index, { path, line, at, text }] of prompts.entries()) {
    if (at !== null && (at < (since ?? at) || at > (until ?? at))) continue;
    const placed = { line, at, isPlain: false };
    const place = { path, generation: null, turn: index + 1, turnAt: at, context: "current" } as const;
    for (const matching of matchTexts([{ role: "request", text }], regex, new Set(["request"])))
      hits.push(...makeHits(matching, placed, place, options));
  }
  if (hits.length === 0) return;
  const session = sessionOfStub({ agent: files.agent, id: files.id, project, prompts });
  if (hasFilters(query.filter) && !(await matchesFilter(session, files, "history", query.filter))) return;
  yield { kind: "hits", facts: sessionFactsOf(session), hits: query.sessionsOnly ? [] : hits };
}

/** Extra time for slow disks and long logs, which are not the fault of the pattern. */
const BYTES_PER_MS = 10_000;
/** Enough for a file on which the pattern does not run away. */
const MIN_LIMIT_MS = 2_000;

/**
 * Returns how long the search of a file may take. A pattern that exceeded the limit on `timedOut` files will do
 * so on more, so each halves the limit; otherwise a long history would take hours.
 */
export function timeLimitOf(timeLimitMs: number, bytes: number, timedOut = 0): number {
  const limitMs = Math.max(timeLimitMs / 2 ** timedOut, Math.min(timeLimitMs, MIN_LIMIT_MS));
  return Math.ceil(limitMs + bytes / BYTES_PER_MS);
}
