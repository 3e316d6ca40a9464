import type { Checkout } from "./checkout.ts";

/**
 * An entry is one line of a log in terms that all agents share. Each agent's parser turns bytes into entries;
 * the session builder turns entries into a session. Entries are consumed one by one, so a log of gigabytes is never in
 * memory as entries.
 */

/** The agent that wrote a log, by the short name of its row in the table of agents. Checked when it is read from a file or a flag. */
export type AgentName = string;

/** Properties of every entry: its place in the file and in the tree of the conversation. */
export interface EntryPlace {
  /** Line number in its file, from 1. Several entries may come from one (glued) line. */
  readonly line: number;
  /** The entry's name in the tree; absent if it is not part of the tree. */
  readonly uid?: string | undefined;
  /** The entry before it; null at a root; absent if it is not part of the tree. */
  readonly parent?: string | null | undefined;
  /** Milliseconds since 1970. */
  readonly at?: number | undefined;
  /** Set on lines of a sub-agent in the main log: the sub-agent's id if the line has one. */
  readonly sidechain?: string | true | undefined;
  /** The agent itself can't read this line, so the current path never includes it. */
  readonly aside?: true;
}

/** Connects other entries without content of its own (progress, attachments, bookkeeping). */
export interface LinkEntry extends EntryPlace {
  readonly kind: "link";
}

/** How a request reached the agent. `command`: a slash command with arguments; `bash`: a shell command by the user. */
export type RequestVia = "typed" | "command" | "bash" | "queued";

/** A true request of the user: it starts a turn. */
export interface RequestEntry extends EntryPlace {
  readonly kind: "request";
  readonly text: string;
  readonly via: RequestVia;
  /** Length of the text in the log, in characters; `text` may be cut or cleaned. */
  readonly chars: number;
  readonly images: number;
  /** The session that this line was copied from, if the line names one. */
  readonly copiedFrom?: string;
}

/** Text on the user's side of the log that is not a request: command output, interrupts, meta text, hook output. */
export interface NoteEntry extends EntryPlace {
  readonly kind: "note";
  readonly about: "command" | "output" | "interrupt" | "meta" | "system" | "custom" | "error";
  readonly text: string;
  readonly chars: number;
  /** Words of the text in the log that are not in `text`, if they are collected for an index. */
  readonly moreWords?: string | undefined;
}

/** A file that a tool call read or wrote, as its input names it. */
export interface FileTouch {
  readonly path: string;
  readonly mode: "read" | "write";
}

/** A tool call as the agent made it. Its input is cut; the log has the whole. */
export interface ToolCallPart {
  readonly kind: "call";
  readonly id: string;
  readonly name: string;
  /** The input as JSON text, cut to a few thousand characters. */
  readonly input: string;
  readonly inputChars: number;
  /** Words of the input that are not in `input`, if they are collected for an index. */
  readonly moreWords?: string | undefined;
  readonly files: readonly FileTouch[];
  /** The shell command that it runs, if it runs one. */
  readonly command?: string | undefined;
  /** The todo items that the call sets, if it is a todo, task or plan tool. */
  readonly work?: WorkUpdate | undefined;
  /** Set if its tool keeps the agent's own list: todos, tasks, or steps of a plan. */
  readonly isWork?: true | undefined;
  /** Its question to the user, if the tool is for that. */
  readonly questions?: readonly string[] | undefined;
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
  /** Of those written to the cache: kept for an hour instead of five minutes. */
  readonly hourCacheWriteTokens?: number | undefined;
}

/** Text of the model. Several lines may be parts of one `message`; they are merged. */
export interface ReplyEntry extends EntryPlace {
  readonly kind: "reply";
  /** Name of the message that this line is part of. */
  readonly message?: string | undefined;
  readonly model?: string | undefined;
  readonly parts: readonly ReplyPart[];
  readonly usage?: Usage | undefined;
  /** Set if the reply is really an error of the service. */
  readonly isError?: boolean;
}

/** The result of a tool. Its text is cut; the log has all of it. */
export interface ToolResult {
  readonly callId: string;
  readonly isError: boolean;
  /** For shell commands: N of `Exit code N`, 0 if the result is not an error, else null. */
  readonly exitCode: number | null;
  readonly text: string;
  /** Length of the text in the log, including images as base64, in characters. */
  readonly chars: number;
  /** Words of the output, and of the diff that an edit made, that are not in `text`, if they are collected for an index. */
  readonly moreWords?: string | undefined;
  /** The sub-agent that the call started. */
  readonly agentId?: string | undefined;
  /** The file with output that was too long for the log. */
  readonly spilledTo?: string | undefined;
  /** The change that the result makes to the todo list (the id of a created task). */
  readonly work?: WorkUpdate | undefined;
}

export interface ResultsEntry extends EntryPlace {
  readonly kind: "results";
  readonly results: readonly ToolResult[];
}

/**
 * A compaction. Entries before it that are not kept are compacted away. Claude Code names the messages that it keeps,
 * Pi only the first of them.
 */
export interface CompactionEntry extends EntryPlace {
  readonly kind: "compaction";
  readonly trigger: "manual" | "auto" | null;
  readonly tokensBefore: number | null;
  readonly tokensAfter: number | null;
  /** The entry that logically precedes it, if `parent` is null. */
  readonly logicalParent?: string;
  /** Kept entries in their order, and the entry that they follow now. */
  readonly kept?: { readonly uids: readonly string[]; readonly anchor: string };
  /** All entries from `head` to `tail` are kept, and follow `anchor` now. */
  readonly keptSegment?: { readonly head: string; readonly tail: string; readonly anchor: string };
  /** Everything on the path from this entry to the compaction is kept. */
  readonly keptFrom?: string;
  /** The summary, if it is in the compaction entry itself. */
  readonly summary?: string;
  /** How many messages are gone from the log (claw-code rewrites its file). */
  readonly removedMessages?: number;
}

/** A summary on a separate line: of the compaction before it, or of an abandoned branch. */
export interface SummaryEntry extends EntryPlace {
  readonly kind: "summary";
  readonly of: "compaction" | "branch";
  readonly text: string;
}

/**
 * One item of a todo list or task list. `id` is absent in lists that are written whole; the text is empty if the task was
 * created in another session and closed in this one.
 */
export interface WorkItem {
  readonly id?: string;
  readonly text: string;
  readonly status: "pending" | "in_progress" | "completed" | "deleted";
}

export type WorkUpdate =
  /** Replaces the whole list. */
  | { readonly kind: "list"; readonly items: readonly WorkItem[] }
  /** Adds a task; the result of the same call has its id. */
  | { readonly kind: "create"; readonly text: string }
  | { readonly kind: "created"; readonly id: string; readonly text?: string }
  | {
      readonly kind: "update";
      readonly id: string;
      readonly status?: WorkItem["status"];
      readonly text?: string;
    }
  /** A plan that was presented to the user. */
  | { readonly kind: "plan"; readonly text: string };

/** A fact about the session as a whole; the last fact of each name counts. */
export type Fact =
  | { readonly name: "title"; readonly from: "custom" | "generated" | "session-name"; readonly text: string }
  /** A title line of old versions: it belongs to this session only if `leaf` is one of its entries. */
  | { readonly name: "leaf-title"; readonly text: string; readonly leaf: string }
  | { readonly name: "label"; readonly target: string; readonly text: string | null }
  | { readonly name: "tag"; readonly text: string }
  | { readonly name: "model"; readonly model: string }
  | { readonly name: "parent"; readonly lineage: Lineage }
  | { readonly name: "link"; readonly url: string }
  /** A queued prompt; it is a request only if no request with the same text follows. */
  | { readonly name: "queued"; readonly text: string }
  /** The prompt queued on that line was withdrawn: it was never sent. */
  | { readonly name: "unqueued"; readonly queuedOnLine: number }
  /** The session continued under another id. */
  | { readonly name: "continued-in"; readonly session: string }
  /** The text of an entry as the agent loads it now; null if it leaves the entry out. */
  | { readonly name: "edit"; readonly target: string; readonly text: string | null };

export interface FactEntry extends EntryPlace {
  readonly kind: "fact";
  readonly fact: Fact;
}

/** A line that is not understood. It is counted, never dropped; `problem` is set if it is not even JSON. */
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

/** The source of a session. */
export interface Lineage {
  readonly kind: "fork" | "continuation" | "subagent";
  /** Id of the session, or the path of its file if only that is known. */
  readonly session: string;
  readonly at?: string;
}

/** Facts about the whole session from the lines of one file; known when the whole file has been read. */
export interface SourceFacts {
  readonly id: string | null;
  readonly project: string | null;
  readonly branch: string | null;
  /** The repository and worktree that the log names as such. */
  readonly checkout?: Checkout | undefined;
  readonly version: string | null;
  readonly firstAt: number | null;
  readonly lastAt: number | null;
  /** The entry that the agent went back to, if nothing has followed since; null: it went back to before the first. */
  readonly wentBackTo?: string | null | undefined;
}
