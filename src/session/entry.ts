/**
 * An entry is what one line of a log says, in words that all agents share. Formats make entries
 * from bytes; `core/thread` makes a session from entries. Entries are consumed one by one, so a
 * log of gigabytes never stands in memory as entries.
 */

/** The agent that wrote a log, by the short name of its row in the table of agents. Checked when it is read from a file or a flag. */
export type AgentName = string;

/** What every entry carries: its place in the file and in the conversation's tree. */
export interface EntryPlace {
  /** Line number in its file, from 1. Several entries may come from one (glued) line. */
  readonly line: number;
  /** Name of the entry in the tree; absent where it is no part of it. */
  readonly uid?: string | undefined;
  /** The entry before it; null at a root; absent where it is no part of the tree. */
  readonly parent?: string | null | undefined;
  /** Milliseconds since 1970. */
  readonly at?: number | undefined;
  /** Set on lines of a sub-agent that are written into the main log: its id where the line has one. */
  readonly sidechain?: string | true | undefined;
  /** The agent itself can't read the line that it stands on: the path never leads over it. */
  readonly aside?: true;
}

/** Holds the chain together and says nothing itself (progress, attachments, bookkeeping). */
export interface LinkEntry extends EntryPlace {
  readonly kind: "link";
}

/** How a request reached the agent. `command`: a slash command with arguments; `bash`: a shell line of the user's own. */
export type RequestVia = "typed" | "command" | "bash" | "queued";

/** A true request of the user: it begins a turn. */
export interface RequestEntry extends EntryPlace {
  readonly kind: "request";
  readonly text: string;
  readonly via: RequestVia;
  /** Length of the text as it stands in the log, in characters; `text` may be cut or cleaned. */
  readonly chars: number;
  readonly images: number;
  /** The session that this line was copied from, where the line says so. */
  readonly copiedFrom?: string;
}

/** What stands in the log for the user's side but is no request: command output, interrupts, meta text, hook output. */
export interface NoteEntry extends EntryPlace {
  readonly kind: "note";
  readonly about: "command" | "output" | "interrupt" | "meta" | "system" | "custom" | "error";
  readonly text: string;
  readonly chars: number;
}

/** A file that a tool call read or wrote, as its input names it. */
export interface FileTouch {
  readonly path: string;
  readonly mode: "read" | "write";
}

/** A tool call as the agent made it. Input is kept cut: the whole is in the log. */
export interface ToolCallPart {
  readonly kind: "call";
  readonly id: string;
  readonly name: string;
  /** The input as JSON text, cut to a few thousand characters. */
  readonly input: string;
  readonly inputChars: number;
  readonly files: readonly FileTouch[];
  /** The shell command that it runs, if it runs one. */
  readonly command?: string | undefined;
  /** What the call says about the work to be done, if it is a todo, task or plan tool. */
  readonly work?: WorkUpdate | undefined;
}

export type ReplyPart =
  | { readonly kind: "text"; readonly text: string; readonly chars: number }
  | { readonly kind: "thinking"; readonly text: string; readonly chars: number }
  | ToolCallPart;

/** Tokens that one message of the model used. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

/** What the model said: one line of possibly several with the same `message`, which are merged. */
export interface ReplyEntry extends EntryPlace {
  readonly kind: "reply";
  /** Name of the message that this line is a part of. */
  readonly message?: string | undefined;
  readonly model?: string | undefined;
  readonly parts: readonly ReplyPart[];
  readonly usage?: Usage | undefined;
  /** Set where the reply is an error of the service in the shape of a message. */
  readonly isError?: boolean;
}

/** What a tool gave back. Text is kept cut: the whole is in the log. */
export interface ToolResult {
  readonly callId: string;
  readonly isError: boolean;
  /** N of `Exit code N`, 0 where the result is no error, else null; only for shell commands. */
  readonly exitCode: number | null;
  readonly text: string;
  /** Length of the text as it stands in the log, images as base64 included, in characters. */
  readonly chars: number;
  /** The sub-agent that the call started. */
  readonly agentId?: string | undefined;
  /** Where the agent put output that was too long for the log. */
  readonly spilledTo?: string | undefined;
  /** What the result says about the work to be done (the id of a created task). */
  readonly work?: WorkUpdate | undefined;
}

export interface ResultsEntry extends EntryPlace {
  readonly kind: "results";
  readonly results: readonly ToolResult[];
}

/**
 * A compaction. Two ways of keeping exist: Claude Code names the messages that it keeps, Pi the
 * first one. What stands before it, and is not kept, is compacted away.
 */
export interface CompactionEntry extends EntryPlace {
  readonly kind: "compaction";
  readonly trigger: "manual" | "auto" | null;
  readonly tokensBefore: number | null;
  readonly tokensAfter: number | null;
  /** The entry that logically precedes it where `parent` is null. */
  readonly logicalParent?: string;
  /** Kept entries in their order, and the entry behind which they stand now. */
  readonly kept?: { readonly uids: readonly string[]; readonly anchor: string };
  /** Kept: all from `head` to `tail`, and the entry behind which they stand now. */
  readonly keptSegment?: { readonly head: string; readonly tail: string; readonly anchor: string };
  /** Kept: everything on the path from this entry to the compaction. */
  readonly keptFrom?: string;
  /** The summary, where it stands in the compaction itself. */
  readonly summary?: string;
  /** Messages that are gone from the log altogether (claw-code rewrites its file). */
  readonly removedMessages?: number;
}

/** A summary on a line of its own: of the compaction before it, or of a branch that was left. */
export interface SummaryEntry extends EntryPlace {
  readonly kind: "summary";
  readonly of: "compaction" | "branch";
  readonly text: string;
}

/** One item of a todo list or task list. `id` is absent in lists that are written whole. */
export interface WorkItem {
  readonly id?: string;
  readonly text: string;
  readonly status: "pending" | "in_progress" | "completed" | "deleted";
}

export type WorkUpdate =
  /** The whole list as it is now. */
  | { readonly kind: "list"; readonly items: readonly WorkItem[] }
  /** A new task; its id comes with the result of the same call. */
  | { readonly kind: "create"; readonly text: string }
  | { readonly kind: "created"; readonly id: string; readonly text?: string }
  | {
      readonly kind: "update";
      readonly id: string;
      readonly status?: WorkItem["status"];
      readonly text?: string;
    }
  /** A plan that was put before the user. */
  | { readonly kind: "plan"; readonly text: string };

/** Something about the session as a whole; of one name the last one wins. */
export type Fact =
  | { readonly name: "title"; readonly from: "custom" | "generated" | "session-name"; readonly text: string }
  /** An old title line: it belongs to this session only where `leaf` is an entry of it. */
  | { readonly name: "leaf-title"; readonly text: string; readonly leaf: string }
  | { readonly name: "label"; readonly target: string; readonly text: string | null }
  | { readonly name: "tag"; readonly text: string }
  | { readonly name: "model"; readonly model: string }
  | { readonly name: "parent"; readonly lineage: Lineage }
  | { readonly name: "link"; readonly url: string }
  /** A prompt typed ahead; it is a request only if no request with the same text follows. */
  | { readonly name: "queued"; readonly text: string }
  /** The prompt typed ahead on that line was taken back: it was never sent. */
  | { readonly name: "unqueued"; readonly queuedOnLine: number }
  /** The session went on under another id. */
  | { readonly name: "continued-in"; readonly session: string }
  /** The text of an entry as the agent loads it now; null: it is left out. */
  | { readonly name: "edit"; readonly target: string; readonly text: string | null };

export interface FactEntry extends EntryPlace {
  readonly kind: "fact";
  readonly fact: Fact;
}

/** A line that is not understood. It is counted, never dropped; `problem` says why where no parser could split it. */
export interface OpaqueEntry extends EntryPlace {
  readonly kind: "opaque";
  readonly problem?: string;
}

export type Entry =
  | LinkEntry
  | RequestEntry
  | NoteEntry
  | ReplyEntry
  | ResultsEntry
  | CompactionEntry
  | SummaryEntry
  | FactEntry
  | OpaqueEntry;

/** Where a session came from. */
export interface Lineage {
  readonly kind: "fork" | "continuation" | "subagent";
  /** Id of the session, or the path of its file where only that is known. */
  readonly session: string;
  readonly at?: string;
}

/** What the lines of one file say about it as a whole, known when it has been read to its end. */
export interface SourceFacts {
  readonly id: string | null;
  readonly project: string | null;
  readonly branch: string | null;
  readonly version: string | null;
  readonly firstAt: number | null;
  readonly lastAt: number | null;
}
