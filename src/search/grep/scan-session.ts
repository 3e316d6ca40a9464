import { createHash } from "node:crypto";
import type { SessionFile } from "../../agents/agent.ts";
import { reasonOf } from "../../agents/isolate.ts";
import type { Problem } from "../../errors.ts";
import type { Disk } from "../../fs/disk.ts";
import { createRedactor, type Redactor } from "../../redact/redact.ts";
import { sessionOfStub } from "../history-stubs.ts";
import { createByteFilter } from "./byte-filter.ts";
import { type PlacedTexts, textsOfFile } from "./file-texts.ts";
import type { GrepHit, GrepJob, GrepStep, GrepTaskData } from "./grep-job.ts";
import { type HitPlace, type MatchingText, makeHits, matchTexts } from "./make-hits.ts";
import {
  createLayers,
  fits,
  isNarrow,
  type OpenedLayer,
  openLayer,
  type SessionLayer,
  sessionFactsOf,
} from "./session-layers.ts";
import type { SessionPlace } from "./session-places.ts";
import type { TextRole } from "./text-role.ts";

/** Searches sessions, one at a time. */
export type ScanSession = (job: GrepJob) => AsyncGenerator<GrepStep, void, void>;

/** Asked between lines: is the time for this file up? */
type IsOver = (step: Extract<GrepStep, { kind: "file" }>) => boolean;

/** Hits are handed over in such numbers. */
const BATCH = 200;

export function createScanner(data: GrepTaskData, disk: Disk, isOver: IsOver = () => false): ScanSession {
  const { wish, places, config } = data;
  const regex = new RegExp(wish.pattern.source, wish.pattern.flags);
  const filter = createByteFilter(wish.pattern);
  const roles = new Set<TextRole>(wish.roles);
  const redactor = wish.reveal ? undefined : createRedactor({ extra: config.redact });
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
    /** Texts that newer states of the session have. */
    const told = new Set<string>();
    let number = -1;
    let facts = job.facts;
    for (const layer of layers) {
      const telling: string[] = [];
      let opened: OpenedLayer | undefined;
      for (const file of layer.files.files) {
        number++;
        if (number < job.fromFile) continue;
        const step = { kind: "file", file: number, path: file.path, bytes: file.size } as const;
        yield step;
        const problems: Problem[] = [];
        let hits: GrepHit[] = [];
        for (const found of scanFile(layer, file, () => isOver(step), problems)) {
          const fresh = layers.length === 1 ? found.matching : newTexts(found.matching, told, telling);
          if (fresh.length === 0) continue;
          if (wish.sessionsOnly && facts !== null && !looksAtPlaces(wish.filter)) {
            yield { kind: "hits", facts, hits };
            return;
          }
          opened ??= await openLayer(layer, { ...job, facts }, data);
          if (opened === undefined) return;
          facts = opened.facts;
          const place = opened.placeOf(file, found.texts);
          if (!isWanted(place, found.texts.at)) continue;
          if (wish.sessionsOnly) {
            yield { kind: "hits", facts, hits };
            return;
          }
          const generation = layer === layers[0] ? null : layer.generation;
          for (const hit of tell(fresh, found.texts, { ...place, path: file.path, generation })) {
            hits.push(hit);
            if (hits.length < BATCH) continue;
            yield { kind: "hits", facts, hits };
            hits = [];
          }
        }
        if (hits.length > 0 && facts !== null) yield { kind: "hits", facts, hits };
        for (const problem of problems) yield { kind: "problem", problem };
      }
      for (const name of telling) told.add(name);
    }
  }

  function* scanFile(
    { source }: SessionLayer,
    file: SessionFile,
    isLate: () => boolean,
    problems: Problem[],
  ): Generator<{ readonly texts: PlacedTexts; readonly matching: readonly MatchingText[] }> {
    const { path } = file;
    try {
      if (filter !== undefined && !filter.mayMatchIn(source.chunks(path))) return;
      for (const texts of textsOfFile(source, file, filter)) {
        if (isLate()) {
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

  function* tell(matching: readonly MatchingText[], texts: PlacedTexts, where: HitPlace): Generator<GrepHit> {
    for (const each of matching)
      yield* makeHits(each, texts, where, { contextLines: wish.contextLines, redactor });
  }

  /** By the time of the turn, as everywhere. */
  function isWanted({ turnAt, context }: SessionPlace, lineAt: number | null): boolean {
    const { since, until, contexts } = wish.filter;
    if (contexts.length > 0 && (context === null || !contexts.includes(context))) return false;
    const at = turnAt ?? lineAt;
    return at === null || (at >= (since ?? at) && at <= (until ?? at));
  }

  return scanSession;
}

function tooLong(path: string, { line, skippedBytes }: PlacedTexts): Problem {
  const what = `too long to be searched whole: ${skippedBytes} bytes inside of its long texts were left out`;
  return { path, line, what };
}

function looksAtPlaces({ since, until, contexts }: GrepTaskData["wish"]["filter"]): boolean {
  return since !== undefined || until !== undefined || contexts.length > 0;
}

/** Those that no newer state of the session has; the names of all are noted. */
function newTexts(
  matching: readonly MatchingText[],
  told: ReadonlySet<string>,
  telling: string[],
): readonly MatchingText[] {
  return matching.filter(({ role, text }) => {
    const name = createHash("sha1").update(`${role}\0${text}`).digest("base64");
    telling.push(name);
    return !told.has(name);
  });
}

/** Searches the prompts of a session of which nothing else is left. */
async function* scanHistory(
  { files, prompts = [], project = null }: GrepJob,
  {
    wish,
    regex,
    redactor,
  }: GrepTaskData & { readonly regex: RegExp; readonly redactor: Redactor | undefined },
): AsyncGenerator<GrepStep, void, void> {
  const { since, until, contexts } = wish.filter;
  if (!wish.roles.includes("request") || (contexts.length > 0 && !contexts.includes("current"))) return;
  const hits: GrepHit[] = [];
  for (const [index, { path, line, at, text }] of prompts.entries()) {
    if (at !== null && (at < (since ?? at) || at > (until ?? at))) continue;
    const placed = { line, at, isPlain: false };
    const place = { path, generation: null, turn: index + 1, turnAt: at, context: "current" } as const;
    for (const matching of matchTexts([{ role: "request", text }], regex, new Set(["request"])))
      hits.push(...makeHits(matching, placed, place, { contextLines: wish.contextLines, redactor }));
  }
  if (hits.length === 0) return;
  const session = sessionOfStub({ agent: files.agent, id: files.id, project, prompts });
  if (isNarrow(wish.filter) && !(await fits(session, files, "history", wish.filter))) return;
  yield { kind: "hits", facts: sessionFactsOf(session), hits: wish.sessionsOnly ? [] : hits };
}

/** Slow disks and long logs are no fault of the pattern. */
const BYTES_PER_MS = 10_000;
/** A file on which the pattern does not run away is done by then. */
const LEAST_MS = 2_000;

/**
 * How long a file may take. A pattern that ran away on `ended` files will do so on more: with each the limit
 * is halved, or a long history would take hours.
 */
export function timeLimitOf(timeLimitMs: number, bytes: number, ended = 0): number {
  const limitMs = Math.max(timeLimitMs / 2 ** ended, Math.min(timeLimitMs, LEAST_MS));
  return Math.ceil(limitMs + bytes / BYTES_PER_MS);
}
