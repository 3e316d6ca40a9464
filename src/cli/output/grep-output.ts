import type { Problem } from "../../errors.ts";
import { encodeJson } from "../../redact/clean-text.ts";
import { isoTime } from "../../render/json/session-json.ts";
import { formatNumber, sessionsOf } from "../../render/words.ts";
import type { GrepHit } from "../../search/grep/grep-job.ts";
import type { FoundIn, GrepProgress } from "../../search/grep/grep-sessions.ts";
import { projectLabel } from "../../session/checkout.ts";
import type { Output, World } from "../world.ts";
import { amountOf, formatBytes } from "./amounts.ts";
import { relativeDate } from "./dates.ts";
import { fitPassage } from "./fit-passage.ts";
import { reportProblems } from "./problems.ts";
import { createProgress } from "./progress.ts";
import { sanitize } from "./sanitize.ts";
import { sessionHeading, shortPath } from "./session-table.ts";
import { createStyle, highlight, type Style } from "./style.ts";
import { wrapMessage } from "./text-width.ts";

const INDENT = "    ";
/** The start of an id names the session as well, and leaves room for a title. */
const UUID = /^([0-9a-f]{8}-[0-9a-f]{4})-[0-9a-f-]{22}$/;

/** The place of the last hit: lines of one text are printed under one heading. */
interface Last {
  readonly place: string;
  /** Number of the last line printed. */
  readonly line: number;
  /** Lines after it, not printed yet: the next hit may be among them. */
  readonly after: readonly string[];
}

/** Prints hits as they come: the session once, then each place with its matching lines. */
export function createGrepPrinter(world: World): GrepReporter {
  const { stdout } = world;
  const style = createStyle(stdout.hasColor);
  const isNarrow = stdout.columns !== undefined && stdout.columns < 100;
  let session = "";
  let last: Last | undefined;
  let lastLabel = "";

  const contextLine = (text: string): string =>
    `${INDENT}${style.dim(formatMatchLine(text, [], stdout, INDENT.length, style))}\n`;
  const endPlace = (): string => {
    const lines = last?.after.map(contextLine).join("") ?? "";
    last = undefined;
    return lines;
  };

  const heading = (found: FoundIn): string => {
    const when = found.endedAt === null ? [] : [relativeDate(found.endedAt, world)];
    const state = found.state === "idle" ? [] : [found.state];
    const id = sanitize(isNarrow ? found.id.replace(UUID, "$1") : found.id);
    return sessionHeading(
      {
        id,
        title: found.title,
        before: [found.agent],
        place: projectLabel(found),
        after: [...when, ...state],
      },
      world,
    );
  };

  const placeLine = (hit: GrepHit): string => {
    const words = [
      ...(hit.turn === null ? [] : [`turn ${hit.turn}`]),
      hit.role,
      ...(hit.context === null || hit.context === "current" ? [] : [hit.context]),
      ...(hit.generation === null ? [] : [`archived generation ${hit.generation}`]),
    ];
    // A hit needs the file only if it is in no turn; --json has the file for every hit.
    const file = hit.turn === null ? [`${shortPath(hit.path, world.home)}:${hit.line}`] : [];
    const label = [...words, ...file].join(" · ");
    if (label === lastLabel) return "";
    lastLabel = label;
    return `  ${style.dim(sanitize(label))}\n`;
  };

  const hitLines = (hit: GrepHit): string => {
    const place = `${hit.path}\0${hit.line}\0${hit.role}\0${hit.generation}`;
    let text = "";
    if (last === undefined || last.place !== place || hit.textLine <= last.line) {
      text += endPlace() + placeLine(hit);
    } else {
      const printed = last.line;
      const between = last.after.slice(0, hit.textLine - printed - 1);
      text += between.map(contextLine).join("");
      if (printed + between.length < hit.textLine - hit.before.length - 1)
        text += `${INDENT}${style.dim("…")}\n`;
      last = { place, line: printed + between.length, after: [] };
    }
    const alreadyPrinted = (last?.line ?? 0) + hit.before.length - hit.textLine + 1;
    text += hit.before
      .slice(Math.max(0, last === undefined ? 0 : alreadyPrinted))
      .map(contextLine)
      .join("");
    const lines = formatMatchLine(hit.text, hit.highlights, stdout, INDENT.length, style).split("\n");
    text += lines.map((line) => `${INDENT}${line}\n`).join("");
    last = { place, line: hit.textLine + lines.length - 1, after: hit.after };
    return text;
  };

  return {
    hits(found, hits) {
      const key = `${found.agent}:${found.id}`;
      let text = "";
      if (key !== session) {
        text += `${endPlace()}${session === "" || hits.length === 0 ? "" : "\n"}${heading(found)}`;
        session = key;
        lastLabel = "";
      }
      for (const hit of hits) text += hitLines(hit);
      stdout.write(text);
    },
    end(total) {
      stdout.write(endPlace());
      reportProblems(total.problems, world);
      if (world.stderr.isTerminal || total.sessions === 0) world.stderr.write(grepTotal(total, world));
    },
  };
}

function grepTotal({ lines, sessions, searched, isComplete }: GrepTotal, world: World): string {
  const style = createStyle(world.stderr.hasColor);
  const all = `${sessionsOf({ sessions: searched.sessionsInAll, stubs: searched.stubsInAll })} (${formatBytes(searched.bytesInAll)})`;
  const { columns } = world.stderr;
  if (sessions === 0) return `${wrapMessage(`No match in ${all}.`, columns)}\n`;
  const what = lines === 0 ? "" : `${amountOf(lines, "line")} in `;
  const found = isComplete
    ? `${formatNumber(sessions)} of ${all}`
    : `${amountOf(sessions, "session")}; there may be more: the limit is reached`;
  return `${style.dim(wrapMessage(`${what}${found}`, columns))}\n`;
}

type Range = readonly [number, number];

/** Sanitizes a matching text and marks its matches; on a terminal each line is cut to fit around them. */
function formatMatchLine(
  text: string,
  highlights: readonly Range[],
  output: Output,
  indent: number,
  style: Pick<Style, "match">,
): string {
  const width = output.columns === undefined ? undefined : Math.max(20, output.columns - indent);
  let from = 0;
  return text
    .split("\n")
    .map((line) => {
      const start = from;
      from += line.length + 1;
      const own = highlights
        .filter(([first, last]) => first < start + line.length && last > start)
        .map(([first, last]): Range => [Math.max(0, first - start), Math.min(line.length, last - start)]);
      if (width === undefined) return highlight(line, own, style);
      // A tab is printed as a space, and counted as one.
      return fitPassage(line.replaceAll("\t", " "), own, { width, first: 0, indent: 0, lines: 1 }, style);
    })
    .join("\n");
}

/** The totals of a search. */
interface GrepTotal {
  readonly sessions: number;
  /** Lines that match, and matches on them. */
  readonly lines: number;
  readonly matches: number;
  /** False if it ended at the limit. */
  readonly isComplete: boolean;
  readonly problems: readonly Problem[];
  readonly searched: GrepProgress;
  readonly tookMs: number;
}

/** Prints a search while it runs, and its end. */
export interface GrepReporter {
  hits(session: FoundIn, hits: readonly GrepHit[]): void;
  end(total: GrepTotal): void;
}

interface GrepTally {
  take(session: FoundIn, hits: readonly GrepHit[]): void;
  problem(problem: Problem): void;
  finish(): void;
  /** The number that counts against the limit. */
  shown(): number;
  total(searched: GrepProgress, now: number): GrepTotal;
}

export function createGrepTally(startedAt: number, sessionsOnly: boolean): GrepTally {
  const sessions = new Set<string>();
  const problems = new Map<string, Problem>();
  let lines = 0;
  let matches = 0;
  let isComplete = false;
  return {
    take(session, hits) {
      sessions.add(`${session.agent}:${session.id}`);
      lines += hits.length;
      for (const hit of hits) matches += hit.matches;
    },
    problem: (problem) => void problems.set(`${problem.path}\0${problem.line}\0${problem.what}`, problem),
    finish: () => {
      isComplete = true;
    },
    shown: () => (sessionsOnly ? sessions.size : lines),
    total: (searched, now) => ({
      sessions: sessions.size,
      lines,
      matches,
      isComplete,
      searched,
      problems: [...problems.values()],
      tookMs: now - startedAt,
    }),
  };
}

interface GrepQuestion {
  readonly pattern: string;
  readonly fixed: boolean;
  readonly ignoreCase: boolean;
  readonly sessionsOnly: boolean;
  readonly demo: boolean;
}

/** The number of problems that are listed; all are counted. */
const MOST_PROBLEMS = 200;

/** Writes one JSON object piece by piece: hits as they are found, the totals at the end. */
export function createGrepJson({ stdout }: Pick<World, "stdout">, question: GrepQuestion): GrepReporter {
  const space = stdout.isTerminal ? 2 : undefined;
  const lineEnd = stdout.isTerminal ? "\n" : "";
  const json = (value: unknown): string => encodeJson(value, space);
  const { pattern, fixed, ignoreCase, sessionsOnly, demo } = question;
  const head = json({ schemaVersion: 1, pattern, fixed, ignoreCase, demo });
  stdout.write(`${head.replace(/\s*\}$/, "")},"hits":[`);
  let isFirst = true;
  const put = (hit: object): void => {
    stdout.write(`${isFirst ? "" : ","}${lineEnd}${json(hit)}`);
    isFirst = false;
  };
  return {
    hits(session, hits) {
      if (sessionsOnly) put(sessionJson(session));
      else for (const hit of hits) put({ ...placeJson(session), ...hitJson(hit) });
    },
    end({ sessions, lines, matches, isComplete, problems, searched, tookMs }) {
      const tail = json({
        total: sessionsOnly ? sessions : lines,
        matches,
        sessions,
        complete: isComplete,
        tookMs,
        coverage: {
          sessions: searched.sessionsInAll,
          stubs: searched.stubsInAll,
          files: searched.filesInAll,
          bytes: searched.bytesInAll,
          problems: problems.length,
        },
        problems: problems.slice(0, MOST_PROBLEMS),
      });
      stdout.write(`${lineEnd}],${tail.slice(1)}\n`);
    },
  };
}

function sessionJson(session: FoundIn): object {
  const { startedAt, endedAt, source, state } = session;
  return {
    ...placeJson(session),
    startedAt: isoTime(startedAt),
    endedAt: isoTime(endedAt),
    state,
    source,
  };
}

function placeJson({ id, agent, title, project, branch }: FoundIn): object {
  return { sessionId: id, agent, title, project, branch };
}

function hitJson({ at, ...hit }: GrepHit): object {
  const { turn, role, context, path, line, generation, textLine, text, highlights, matches, before, after } =
    hit;
  return {
    turn,
    role,
    at: isoTime(at),
    context,
    path,
    line,
    generation,
    textLine,
    text,
    highlights,
    matches,
    before,
    after,
  };
}

interface GrepProgressLine {
  update(progress: GrepProgress): void;
  /** Makes room for hits on the same terminal. */
  clear(): void;
  state(): GrepProgress;
}

const NOTHING: GrepProgress = {
  sessions: 0,
  sessionsInAll: 0,
  stubsInAll: 0,
  files: 0,
  filesInAll: 0,
  bytes: 0,
  bytesInAll: 0,
};

/** Shows the progress of the search. */
export function grepProgress(world: World): GrepProgressLine {
  const line = createProgress("Searching", world);
  let last = NOTHING;
  return {
    update(progress) {
      last = progress;
      const { files, filesInAll, bytes, bytesInAll } = progress;
      line.update({ files, filesTotal: filesInAll, bytes, bytesTotal: bytesInAll });
    },
    clear: line.end,
    state: () => last,
  };
}
