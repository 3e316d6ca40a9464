import type { Buffer } from "node:buffer";
import { join } from "node:path";
import type { Problem } from "../errors.ts";
import type { Environment, Library } from "../fs/library.ts";
import type { Line } from "../jsonl/lines.ts";
import type { KeyPath } from "../jsonl/rewrite-strings.ts";
import type { LeafRule } from "../session/current-path.ts";
import type { AgentName, Entry, SourceFacts, WorkItem } from "../session/entry.ts";
import type { LogKey } from "../session/session.ts";
import type { TextBudget } from "../session/text-budget.ts";
import type { TextRules } from "./text-rules.ts";

/** A folder that holds logs of one agent. */
export interface LogRoot {
  readonly folder: string;
  /** How many levels deep it may hold logs: 1 is the folder itself. */
  readonly depth: number;
  /** Only files with such a name are looked at. */
  readonly extensions: readonly string[];
}

/** A file as the disk describes it. */
export interface FoundFile {
  readonly path: string;
  readonly size: number;
  /** Whole milliseconds, because runtimes differ in the fraction. */
  readonly mtimeMs: number;
  readonly inode: number;
}

/** The role of a file in its session. */
export type FileRole =
  /** The log itself. Several logs (copies in other folders, checkpoints) may be one session; the newest leads. */
  | "main"
  /** An older part of the log that its agent rotated away. */
  | "rotation"
  | "subagent"
  | "subagent-meta"
  /** Output that was too long for the log. */
  | "spilled"
  | "todos"
  | "task"
  | "title"
  | "other";

export interface SessionFile extends FoundFile {
  readonly role: FileRole;
}

/** All files of one session. */
export interface SessionFiles {
  readonly agent: AgentName;
  readonly id: string;
  /** The leading log first. Never empty; if the log itself is gone, these are the remaining files. */
  readonly files: readonly SessionFile[];
}

/** The files of one log, with the name that the store knows it by. */
export interface LogFiles extends SessionFiles, LogKey {}

/** Reads the first bytes of a file (64 KiB at most); empty if it can't be read. */
export type Peek = (path: string, from?: number) => Buffer;

/** Which session a file belongs to, and its role there. */
export interface Placement {
  readonly id: string;
  readonly role: FileRole;
}

/** Remembers which session each file belongs to, so that unchanged files are not read again. */
export interface PlacementCache {
  /** null: the file is not this agent's; undefined: not known, or the file has changed. */
  recall(file: FoundFile): Placement | null | undefined;
  remember(file: FoundFile, placed: Placement | null): void;
}

/** Takes the lines of one file in order, and emits entries. */
export interface LineParser {
  line(line: Line): void;
  /** Must be called once, after the last line: the parser may emit more entries. */
  finish(): SourceFacts;
  /**
   * Returns what a later parser needs (`resume`) to continue after the last line; undefined if the log must be read
   * from its start.
   */
  save(): string | undefined;
}

export interface ParserContext {
  readonly emit: (entry: Entry) => void;
  readonly budget: TextBudget;
  /** The file's path, for formats whose lines lack something that the path has. */
  readonly path: string;
  /** Whether this is the log of a sub-agent, in which marks for sub-agent lines mean nothing. */
  readonly isSubagent: boolean;
  /** State that a parser of the same agent saved before the next line. */
  readonly resume?: string | undefined;
}

/** The log that another log continues: it has the session's beginning, up to some byte. */
export interface LogBase {
  /** The session of that log. */
  readonly session: string;
  /** How many of its bytes belong to the beginning. */
  readonly bytes: number;
  /** Paths where it may be. */
  readonly folders: readonly string[];
  isNamed(name: string): boolean;
}

/** Content of small files next to a log. */
export interface SideFile {
  /** The name that the user gave the session. */
  readonly title?: string;
  /** The name that the agent gave it. */
  readonly generatedTitle?: string;
  readonly work?: readonly WorkItem[];
  readonly subagent?: SubagentOrigin;
}

/** Says which call started a sub-agent; read from the file next to its log. */
export interface SubagentOrigin {
  readonly id: string;
  readonly type: string | null;
  readonly description: string | null;
  readonly callId: string | null;
}

/** A process that claims a session. */
export interface RunningSession {
  readonly sessionId: string;
  readonly pid: number;
}

/** A command of the agent, and the folder to run it in. */
export interface ResumeCommand {
  readonly command: readonly string[];
  readonly folder: string | null;
}

/** The prompts that were typed into an agent, in files that outlive its logs. */
export interface PromptHistory {
  files(environment: Environment): readonly string[];
  readLine(line: Line): readonly HistoryPrompt[];
}

export interface HistoryPrompt {
  /** null on lines of old versions. */
  readonly sessionId: string | null;
  readonly project: string | null;
  readonly at: number | null;
  readonly text: string;
}

/**
 * How an agent's sessions are found and read. To add an agent, write a folder that exports one of these, and add it
 * to the table in agents.ts. Everything else that can be done to its logs (compaction, forks, hooks …) is in
 * agent-actions.ts and optional: without it, logs are only read, archived and restored.
 */
export interface Agent {
  /** Its name in code and on disk: in flags, in JSON, and in the names of the archive's folders. */
  readonly name: AgentName;
  /** Its name for people. */
  readonly displayName: string;
  /** Variables that say where its folders are. */
  readonly placeVariables: readonly string[];
  /** Variables that it sets for the programs that it runs. */
  readonly childVariables?: readonly string[];
  /** The variable that names the calling session to hooks, servers and programs that it runs. */
  readonly sessionVariable?: string;
  /** The variable that names the project's folder to hooks and servers that it runs. */
  readonly projectVariable?: string;
  /** Which entry is the end of the current path. */
  readonly leafRule: LeafRule;
  /** Set if it also keeps logs in the folders of projects, so that these must be known first. */
  readonly inProjects?: boolean;
  /**
   * For an agent whose logs are not files: brings the files below the first of its roots up to date. Returns problems
   * with logs that could not be read.
   */
  readonly mirror?: (library: Library) => readonly Problem[];
  roots(environment: Environment): readonly LogRoot[];
  /** Whether this is the start of a log of this agent. Decides by content, because names lie. */
  owns(head: Buffer): boolean;
  /** Groups the files below all roots into sessions. Other files are left out. */
  group(files: readonly FoundFile[], peek: Peek, memory?: PlacementCache): readonly SessionFiles[];
  /** Reads a small file next to the log (title, todos, tasks, a sub-agent's origin). */
  readSideFile?(file: SessionFile, text: string): SideFile | undefined;
  /** Finds, from a log's start, the log that it continues, if it has only its own part. */
  base?(path: string, head: Buffer): LogBase | undefined;
  /** The name of the sub-agent whose log this is. */
  subagentId?(path: string): string;
  /** The agent's list of running processes: a folder of files, and how to read one. */
  readonly registry?: {
    folders(environment: Environment): readonly string[];
    read(text: string): RunningSession | undefined;
  };
  parser(context: ParserContext): LineParser;
  /** The role of each text on a line, for `grep`, where this agent's logs differ from the others'. */
  readonly textRules?: TextRules;
  resume(session: {
    readonly id: string;
    readonly project: string | null;
    readonly source: string | null;
  }): ResumeCommand;
  readonly rehoming: Rehoming;
  /** For an agent whose logs are not files: how it imports archived sessions. */
  readonly imports?: AgentImport;
  readonly history?: PromptHistory;
  /** Its own compaction removes messages from a log: archived ones are still found. */
  readonly compactsLogs?: boolean;
  /** The age at which it deletes logs unless its settings say otherwise. Absent: it deletes none. */
  readonly deletesAfterMs?: number;
}

/** How an agent imports sessions with its own command. */
export interface AgentImport {
  /** The files to write, in the order of their import. */
  files<F extends ImportedFile>(session: ImportSource<F>): readonly ImportFile<F>[];
  command(path: string): readonly string[];
  /** A line without the parts that an import changes, to recognize an imported log. */
  comparableLine(line: Buffer): string;
  /** The id of the message on a line, which an import keeps; undefined if there is none. */
  messageId(line: Buffer): string | undefined;
}

interface ImportedFile {
  readonly path: string;
  readonly role: string;
}

/** An archived session. */
export interface ImportSource<F extends ImportedFile> {
  readonly files: readonly F[];
  read(file: F): Iterable<Uint8Array>;
}

export interface ImportFile<F> {
  readonly name: string;
  /** The log that it is generated from. */
  readonly from: F;
  content(): Iterable<Uint8Array>;
}

/** How a session of one project becomes one of another. */
export interface Rehoming {
  /** Where lines name the project's folder. */
  readonly keys: readonly KeyPath[];
  /** For an agent that names the folder within a longer text. Absent: the whole string is the folder. */
  readonly inText?: {
    /** The folder that a text names; undefined if it names none. */
    folder(text: string): string | undefined;
    replace(text: string, folder: string): string;
  };
  /** Only the first such string counts; the others are left alone. */
  readonly onlyFirst?: boolean;
  /** The place of a file that was at `relative` below a root of that name. */
  place(relative: string, rootName: string, project: string): RehomedPlace;
  /** Whether a file at `relative` belongs to a project with that path, judging by its folder's name. */
  isOf?(relative: string, project: string): boolean;
}

export interface RehomedPlace {
  /** Below the root of that name. */
  readonly relative: string;
  /** The place of that root in the project itself, for an agent that keeps logs there. */
  readonly inProject?: string;
}

/** Moves a file from one project's folder to another's; a file outside of such a folder stays where it is. */
export function inFolder(relative: string, folder: string): RehomedPlace {
  const [, ...rest] = relative.split(/[/\\]/);
  return { relative: rest.length === 0 ? relative : join(folder, ...rest) };
}

export function firstFolder(relative: string): string | undefined {
  return relative.split(/[/\\]/)[0];
}
