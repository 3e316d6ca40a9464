import { exitCodes, type Problem, UserError } from "../errors.ts";
import { setEngineFlags } from "../fs/engine-flags.ts";
import { splitLines } from "../jsonl/lines.ts";
import type { Entry, SourceFacts, WorkItem } from "../session/entry.ts";
import type { Session } from "../session/session.ts";
import { createSessionBuilder, type SessionRest } from "../session/session-builder.ts";
import type { SubagentLog } from "../session/subagents.ts";
import {
  type CollectWords,
  createTextBudget,
  defaultTextLimits,
  type TextLimits,
} from "../session/text-budget.ts";
import type { Agent, SessionFile, SessionFiles, SideFile, SubagentOrigin } from "./agent.ts";
import { agentNamed, namesOfAgents } from "./agents.ts";
import { baseLines, baseOf, basesOf, missingBase } from "./base-lines.ts";
import type { ByteSource } from "./byte-source.ts";
import type { CheckpointRecorder, ParseCheckpoints } from "./checkpoints/parse-checkpoints.ts";
import { isolate, reasonOf } from "./isolate.ts";
import { isPacked } from "./packed-log.ts";

/** Files next to a log are small; larger ones are not read. */
const SIDE_FILE_BYTES = 4 * 1024 * 1024;

/**
 * Reads all files of a session into one model. A file that can't be read is reported as a problem; so is one that
 * causes an unexpected error: then the result is a session without turns.
 */
export function readSession(
  source: ByteSource,
  files: SessionFiles,
  limits: TextLimits = defaultTextLimits,
  checkpoints?: ParseCheckpoints,
  collectWords?: CollectWords,
): Session {
  const { agent, id } = files;
  const format = agentNamed(agent);
  const problems: Problem[] = [];
  const reader: LogReader = { source, format, limits, problems, session: files, checkpoints, collectWords };
  spareMemoryFor(files.files.reduce((sum, { size }) => sum + size, 0));
  return (
    isolate(problems, files.files[0]?.path ?? "", "cannot be read", () => readAll(reader)) ??
    createSessionBuilder(format.leafRule).finish({ agent, id, facts: NO_FACTS, lines: 0, problems })
  );
}

function readAll(reader: LogReader): Session {
  const { session: files, problems } = reader;
  const sideFiles = readSideFiles(reader, files.files);
  const main = readLogs(reader, inReadingOrder(files.files), false);
  const { title } = sideFiles.find((file) => file.title !== undefined) ?? {};
  const { generatedTitle } = sideFiles.find((file) => file.generatedTitle !== undefined) ?? {};
  const work = workOf(sideFiles);
  const subagents = files.files.flatMap((file) =>
    file.role === "subagent"
      ? (isolate(problems, file.path, "cannot be read", () => readSubagent(reader, file, sideFiles)) ?? [])
      : [],
  );
  const rest: SessionRest = {
    agent: files.agent,
    id: files.id,
    // If only sub-agents are left, project and times come from them.
    facts:
      main.lines > 0
        ? main.facts
        : subagents.map(({ session }) => factsOf(session)).reduce(mergeFacts, main.facts),
    agentNames: namesOfAgents(),
    lines: main.lines,
    subagents,
    problems,
    ...(title === undefined ? {} : { title }),
    ...(generatedTitle === undefined ? {} : { generatedTitle }),
    ...(work.length === 0 ? {} : { work }),
  };
  return main.builder.finish(rest);
}

interface LogReader {
  readonly source: ByteSource;
  readonly format: Agent;
  readonly limits: TextLimits;
  readonly problems: Problem[];
  readonly session: SessionFiles;
  /** Checkpoints of logs that were read before. */
  readonly checkpoints: ParseCheckpoints | undefined;
  /** Collects the words of texts that are cut; absent: those words are dropped. */
  readonly collectWords: CollectWords | undefined;
}

/** Older parts first, the leading log last: if several say the same kind of thing, the last one counts. */
function inReadingOrder(files: readonly SessionFile[]): readonly SessionFile[] {
  const rotations = files.filter((file) => file.role === "rotation");
  const logs = files.filter((file) => file.role === "main");
  return [...rotations, ...logs.reverse()];
}

interface ReadLogs {
  readonly builder: ReturnType<typeof createSessionBuilder>;
  readonly facts: SourceFacts;
  readonly lines: number;
}

function readLogs(reader: LogReader, files: readonly SessionFile[], isSubagent: boolean): ReadLogs {
  const builder = createSessionBuilder(reader.format.leafRule, reader.limits.countsActivity);
  return { builder, ...readEntries(reader, files, isSubagent, builder.add) };
}

function readEntries(
  reader: LogReader,
  files: readonly SessionFile[],
  isSubagent: boolean,
  add: (entry: Entry) => void,
): Omit<ReadLogs, "builder"> {
  const { source, format, problems, session } = reader;
  // Several files share one budget: if the first one grew, less is left for the next.
  const isPlain =
    files.length === 1 &&
    files.every(({ path }) => !isPacked(path) && baseOf(source, format, path) === undefined);
  const checkpoints = isPlain ? reader.checkpoints : undefined;
  let budget = createTextBudget(reader.limits, 0, reader.collectWords);
  let facts = NO_FACTS;
  let lines = 0;
  for (const file of files) {
    const { path } = file;
    const before = checkpoints?.find({ session, file, isSubagent });
    let recorder: CheckpointRecorder | undefined;
    let copiedFrom: string | undefined;
    const take = (entry: Entry): void => {
      // Problems in another session's log are reported there.
      if (entry.kind === "opaque" && entry.problem !== undefined && copiedFrom === undefined)
        problems.push({ path, line: entry.line, what: entry.problem });
      add(copiedFrom !== undefined && entry.kind === "request" ? { ...entry, copiedFrom } : entry);
    };
    const emit = (entry: Entry): void => {
      recorder?.entry(entry);
      take(entry);
    };
    if (before !== undefined) {
      for (const entry of before.entries()) take(entry);
      budget = createTextBudget(reader.limits, before.used, reader.collectWords);
      lines = before.lines;
    }
    const parser = format.parser({ emit, budget, path, isSubagent, resume: before?.state });
    recorder = checkpoints?.record({ session, file, isSubagent }, before);
    const bases = isSubagent ? [] : [...basesOf(source, format, path)];
    const isFork = bases.length > 0;
    const missing = bases.find(({ log }) => log === undefined);
    if (missing !== undefined) problems.push({ path, line: 0, what: missingBase(missing) });
    const end = (): void => recorder?.end(() => parser.save(), budget.used, lines);
    try {
      if (isFork) {
        // Its own header comes first, because it names the session.
        for (const line of splitLines(source.chunks(path))) {
          parser.line(line);
          break;
        }
        for (const { line, session: other } of baseLines(bases)) {
          copiedFrom = other;
          // Only the header of this log knows them.
          parser.line({ ...line, number: 1 });
        }
        copiedFrom = undefined;
      }
      const chunks = before?.chunks() ?? source.chunks(path);
      const start = { offset: before?.offset ?? 0, number: (before?.lines ?? 0) + 1 };
      for (const line of splitLines(recorder?.watch(chunks) ?? chunks, start)) {
        if (!line.ended) end();
        try {
          if (!isFork || line.number > 1) parser.line(line);
        } catch (error) {
          // Like `isolate`, but without a closure for every line. A reading that failed once is not continued later.
          problems.push({ path, line: line.number, what: `cannot be read: ${reasonOf(error)}` });
          recorder = undefined;
        }
        lines++;
      }
      end();
      recorder?.keep();
    } catch (error) {
      problems.push({ path, line: 0, what: `cannot be read: ${source.explain(error)}` });
    }
    facts = mergeFacts(facts, parser.finish());
  }
  return { facts, lines };
}

/** The whole result of a tool call. */
export interface WholeResult {
  readonly tool: string;
  readonly file: string | undefined;
  readonly text: string;
}

const WHOLE_OUTPUT: TextLimits = {
  outputChars: Number.POSITIVE_INFINITY,
  inputChars: 0,
  thinkingChars: 0,
  totalChars: Number.POSITIVE_INFINITY,
};

/**
 * Reads the result of a call, if the logs of the session have it: those of the conversation, otherwise those of
 * sub-agents. As in a session, the later one of two results counts. Nothing else of the logs is kept in memory.
 * Throws if it is not found and a log can't be read.
 */
export function readCallResult(
  source: ByteSource,
  session: SessionFiles,
  callId: string,
): WholeResult | undefined {
  const reader: LogReader = {
    source,
    format: agentNamed(session.agent),
    limits: WHOLE_OUTPUT,
    problems: [],
    session,
    checkpoints: undefined,
    collectWords: undefined,
  };
  const readFrom = (files: readonly SessionFile[], isSubagent: boolean): WholeResult | undefined => {
    let call: Omit<WholeResult, "text"> = { tool: "", file: undefined };
    let text: string | undefined;
    readEntries(reader, files, isSubagent, (entry) => {
      if (entry.kind === "reply") {
        for (const part of entry.parts)
          if (part.kind === "call" && part.id === callId)
            call = { tool: part.name, file: part.files[0]?.path };
      } else if (entry.kind === "results") {
        for (const result of entry.results) if (result.callId === callId) text = result.text;
      }
    });
    return text === undefined ? undefined : { ...call, text };
  };
  const inMain = readFrom(inReadingOrder(session.files), false);
  if (inMain !== undefined) return inMain;
  for (const file of session.files) {
    const found = file.role === "subagent" ? readFrom([file], true) : undefined;
    if (found !== undefined) return found;
  }
  const unread = reader.problems.find(({ line }) => line === 0);
  if (unread !== undefined) throw new UserError(unread.what, { exitCode: exitCodes.withProblems });
  return undefined;
}

function readSubagent(reader: LogReader, file: SessionFile, sideFiles: readonly SideFile[]): SubagentLog {
  const { builder, facts, lines } = readLogs(reader, [file], true);
  const id = reader.format.subagentId?.(file.path) ?? file.path;
  const known: SubagentOrigin | undefined = sideFiles.find((file) => file.subagent?.id === id)?.subagent;
  return {
    id,
    type: known?.type ?? null,
    description: known?.description ?? null,
    callId: known?.callId ?? null,
    source: file.path,
    session: builder.finish({ agent: reader.format.name, id, facts, lines, problems: [] }),
  };
}

function readSideFiles(reader: LogReader, files: readonly SessionFile[]): readonly SideFile[] {
  const { format, source } = reader;
  if (format.readSideFile === undefined) return [];
  const found: SideFile[] = [];
  for (const file of files) {
    if (!SIDE_FILE_ROLES.has(file.role) || file.size > SIDE_FILE_BYTES) continue;
    const text = source.text(file.path, SIDE_FILE_BYTES);
    const said = text === undefined ? undefined : format.readSideFile(file, text);
    if (said !== undefined) found.push(said);
  }
  return found;
}

const SIDE_FILE_ROLES: ReadonlySet<string> = new Set(["title", "todos", "task", "subagent-meta"]);

function workOf(sideFiles: readonly SideFile[]): readonly WorkItem[] {
  return sideFiles.flatMap((file) => file.work ?? []);
}

const NO_FACTS: SourceFacts = {
  id: null,
  project: null,
  branch: null,
  version: null,
  firstAt: null,
  lastAt: null,
};

function factsOf({ project, branch, version, startedAt, endedAt }: Session): SourceFacts {
  return { id: null, project, branch, version, firstAt: startedAt, lastAt: endedAt };
}

/** The later file is the leading log, so its values win; times span both. */
function mergeFacts(earlier: SourceFacts, later: SourceFacts): SourceFacts {
  const times = [earlier.firstAt, later.firstAt, earlier.lastAt, later.lastAt].filter((at) => at !== null);
  return {
    id: later.id ?? earlier.id,
    project: later.project ?? earlier.project,
    branch: later.branch ?? earlier.branch,
    checkout: later.checkout ?? earlier.checkout,
    version: later.version ?? earlier.version,
    firstAt: times.length === 0 ? null : Math.min(...times),
    lastAt: times.length === 0 ? null : Math.max(...times),
    wentBackTo: later.wentBackTo,
  };
}

/** Logs from this size on are read with little memory rather than fast. */
const LONG_LOG_BYTES: number = 256 * 1024 * 1024;

/**
 * Makes the heap grow in small steps from now on. By default V8 lets it grow to twice the used size before it
 * collects garbage (docs/decisions/bounded-memory.md).
 */
export function spareMemoryFor(bytes: number): void {
  if (bytes <= LONG_LOG_BYTES) return;
  setEngineFlags([11, 12, 13], "--heap-growing-percent=20");
}
