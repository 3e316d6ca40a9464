import { encodeJson } from "../../redact/clean-text.ts";
import { isoTime } from "../../render/json/session-json.ts";
import type { GrepHit } from "../../search/grep/grep-job.ts";
import type { FoundIn, GrepProgress } from "../../search/grep/grep-sessions.ts";
import type { World } from "../world.ts";
import type { GrepReporter } from "./grep-output.ts";
import { createProgress } from "./progress.ts";

interface GrepQuestion {
  readonly pattern: string;
  readonly fixed: boolean;
  readonly ignoreCase: boolean;
  readonly sessionsOnly: boolean;
  readonly demo: boolean;
}

/** Problems that are listed; all are counted. */
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
  files: 0,
  filesInAll: 0,
  bytes: 0,
  bytesInAll: 0,
};

/** Shows how far the search is. */
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
