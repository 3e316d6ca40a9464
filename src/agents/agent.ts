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
  /** How deep logs are below it: 1 is the folder itself. */
  readonly depth: number;
  /** Only these are looked at; a name that nothing matches is no log. */
  readonly extensions: readonly string[];
}

/** A file as the disk describes it. */
export interface FoundFile {
  readonly path: string;
  readonly size: number;
  /** Whole milliseconds: runtimes differ in the fraction. */
  readonly mtimeMs: number;
  readonly inode: number;
}

/** What a file is to its session. */
export type FileRole =
  /** The log itself. Several (copies in other folders, checkpoints) are one session; the newest leads. */
  | "main"
  /** An older part of the log that its agent has put aside. */
  | "rotation"
  | "subagent"
  | "subagent-meta"
  /** Output too long for the log. */
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
  /** The leading log first. Never empty; without a main file it is all that is left of a session that is gone. */
  readonly files: readonly SessionFile[];
}

/** The files of one log, with the name that the store knows it by. */
export interface LogFiles extends SessionFiles, LogKey {}

/** Reads the first bytes of a file (64 KiB at most); empty if it can't be read. */
export type Peek = (path: string, from?: number) => Buffer;

/** Which session a file belongs to, and as what. */
export interface Placement {
  readonly id: string;
  readonly role: FileRole;
}

/** Remembers which session each file belongs to, so that unchanged files are not read again. */
export interface PlacementCache {
  /** null: the file is not this agent's; undefined: it is unknown or has changed. */
  recall(file: FoundFile): Placement | null | undefined;
  remember(file: FoundFile, placed: Placement | null): void;
}

/** Takes the lines of one file in order, and emits what they say. */
export interface LineParser {
  line(line: Line): void;
  /** To be called once, after the last line: the parser may emit more entries. */
  finish(): SourceFacts;
  /**
   * What it must know to go on after the last line: text for `resume` of another parser. undefined if the
   * log must be read from its start.
   */
  save(): string | undefined;
}

export interface ParserContext {
  readonly emit: (entry: Entry) => void;
  readonly budget: TextBudget;
  /** The file's path: formats whose lines lack something may know it from there. */
  readonly path: string;
  /** The log of a sub-agent: marks for sub-agent lines mean nothing in it. */
  readonly isSubagent: boolean;
  /** What a parser of the same agent saved before the first line that comes. */
  readonly resume?: string | undefined;
}

/** The log that another one continues: it has the session's beginning, up to some byte. */
export interface LogBase {
  /** The session whose log it is. */
  readonly session: string;
  /** How much of it, in bytes. */
  readonly bytes: number;
  /** Where it may be. */
  readonly folders: readonly string[];
  isNamed(name: string): boolean;
}

/** What small files next to a log contain. */
export interface SideFile {
  /** What the user named the session. */
  readonly title?: string;
  /** What the agent named it. */
  readonly generatedTitle?: string;
  readonly work?: readonly WorkItem[];
  readonly subagent?: SubagentOrigin;
}

/** Which call started a sub-agent, from the file next to its log. */
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

/** A command of the agent's own, and the folder to run it in. */
export interface ResumeCommand {
  readonly command: readonly string[];
  readonly folder: string | null;
}

/** The prompts that were typed into an agent, in files that outlive its logs. */
export interface PromptHistory {
  files(surroundings: Environment): readonly string[];
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
 * How an agent's sessions are found and read. To add an agent, write a folder that exports one of these, and put it into
 * the table in agents.ts. What else can be done to its logs (compaction, forks, hooks …) is in agent-actions.ts, and may
 * all be left out: then its files are only read, archived and restored.
 */
export interface Agent {
  /** Its name in code and on disk: in flags, in JSON, and in the names of folders of the archive. */
  readonly name: AgentName;
  /** As people call it. */
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
  /** It keeps logs in the folders of projects too, so these must be known first. */
  readonly inProjects?: boolean;
  /**
   * For an agent whose logs are not files: brings files below the first of its roots up to date with them. Returns what
   * could not be read.
   */
  readonly mirror?: (library: Library) => readonly Problem[];
  roots(surroundings: Environment): readonly LogRoot[];
  /** Is this the start of a log of this agent? By content: names lie. */
  owns(head: Buffer): boolean;
  /** Puts the files below all roots together into sessions. Files that are none are left out. */
  group(files: readonly FoundFile[], peek: Peek, memory?: PlacementCache): readonly SessionFiles[];
  /** Reads a small file next to the log (title, todos, tasks, a sub-agent's origin). */
  readSideFile?(file: SessionFile, text: string): SideFile | undefined;
  /** Finds, from a log's start, the log that it continues, if it has only what came after. */
  base?(path: string, head: Buffer): LogBase | undefined;
  /** Name of the sub-agent whose log this is. */
  subagentId?(path: string): string;
  /** The agent's list of running processes: a folder of files, and how one is read. */
  readonly registry?: {
    folders(surroundings: Environment): readonly string[];
    read(text: string): RunningSession | undefined;
  };
  parser(context: ParserContext): LineParser;
  /** What a text on a line is, for `grep`, as far as its logs differ from those of others. */
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
  /** Its own compaction takes messages out of a log: those that are archived are still found. */
  readonly compactsLogs?: boolean;
  /** It deletes logs whose time is older than this, if its settings say nothing else. Absent: it deletes none. */
  readonly deletesAfterMs?: number;
}

/** How an agent imports sessions with its own command. */
export interface AgentImport {
  /** The files to write, in the order of their import. */
  files<F extends ImportedFile>(session: ImportSource<F>): readonly ImportFile<F>[];
  command(path: string): readonly string[];
  /** A line without what an import changes: used to recognise an imported log. */
  gist(line: Buffer): string;
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
  /** The log it is generated from. */
  readonly from: F;
  content(): Iterable<Uint8Array>;
}

/** How a session of an agent becomes one of another project. */
export interface Rehoming {
  /** Where its lines name the project's folder. */
  readonly keys: readonly KeyPath[];
  /** For an agent that names it within a longer text: absent, the whole string is the folder. */
  readonly inText?: {
    /** The folder that a text names; undefined if it is another text. */
    folder(text: string): string | undefined;
    replace(text: string, folder: string): string;
  };
  /** Only the first such string counts; the others are left alone. */
  readonly onlyFirst?: boolean;
  /** The place of a file that was at `relative` below a root of that name. */
  place(relative: string, rootName: string, project: string): RehomedPlace;
  /** Does a file at `relative` belong to a project of that path, by its folder's name? */
  isOf?(relative: string, project: string): boolean;
}

export interface RehomedPlace {
  /** Below the root of that name. */
  readonly relative: string;
  /** Where that root is in the project itself, for an agent that keeps logs there. */
  readonly inProject?: string;
}

/** Puts a file of one project's folder into another's; a file in no folder stays where it is. */
export function inFolder(relative: string, folder: string): RehomedPlace {
  const [, ...rest] = relative.split(/[/\\]/);
  return { relative: rest.length === 0 ? relative : join(folder, ...rest) };
}

export function firstFolder(relative: string): string | undefined {
  return relative.split(/[/\\]/)[0];
}
