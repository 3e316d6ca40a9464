import type { TokenEstimate } from "../extract/digest.ts";
import type { Library } from "../fs/library.ts";
import type { JsonObject } from "../jsonl/json-line.ts";
import type { RawLine } from "../jsonl/lines.ts";
import type { RewritePlan } from "../jsonl/rewrite-plan.ts";
import type { AgentName } from "../session/entry.ts";
import type { Session } from "../session/session.ts";
import type { SessionFiles } from "./agent.ts";
import type { Flattening } from "./bulky-block.ts";
import type { LogSnapshot } from "./log-snapshot.ts";

/**
 * Everything that can be done to an agent's sessions beyond reading them. The table of these (actions.ts) is
 * separate, because a search never needs it and its bundle should not carry it. An action that an agent leaves out is
 * not possible for its sessions.
 */
export interface AgentActions {
  readonly compaction?: Compactor;
  readonly fork?: Forker;
  readonly flattening?: Flattening;
  /** The message that a line adds to the conversation sent to the model; undefined if none. */
  readonly apiMessage?: (line: JsonObject) => ApiMessage | undefined;
  readonly summary?: SummaryForm;
  readonly branches?: NamedBranches;
  readonly retention?: Retention;
  readonly skills?: Skills;
  readonly slashCommands?: SlashCommands;
  readonly hooks?: Hooks;
  readonly servers?: McpServers;
  readonly extension?: Extension;
  readonly plugins?: PluginSupport;
}

/** A message in the form of the token-count API. */
export interface ApiMessage {
  readonly role: "user" | "assistant";
  readonly content: readonly JsonObject[];
}

/** A copy of a session that becomes a session in its own right. */
export interface ForkRequest {
  /** The session that is copied, and its log. */
  readonly id: string;
  readonly path: string;
  readonly title: string | null;
  readonly uuid: () => string;
  readonly now: number;
}

export interface Fork {
  readonly id: string;
  /** The place where its agent will find it. */
  readonly path: string;
  /** Writes the log of the copy from the lines of the original. `lines` may be read twice. */
  content(lines: () => Iterable<RawLine>): Iterable<Uint8Array>;
}

/** How an agent turns a copy into a session in its own right. */
export type Forker = (request: ForkRequest) => Fork;

/** How an agent compacts its sessions. */
export interface Compactor {
  /** Says in help what it does to a log: a sentence that follows the agent's name, without its full stop. */
  readonly description: string;
  /** Flags of `sessions compact` that only this agent has. */
  readonly options: readonly CompactionOption[];
  /** Tells the user about the result, if it is not what people expect of a compaction. */
  readonly note?: string;
  /** Plans how the log would change. Changes nothing itself. */
  plan(input: CompactionInput): CompactionPlan;
  /** Whether this text is the placeholder of a result that was compacted away. */
  isPlaceholder?(text: string): boolean;
}

export type CompactionOption = {
  /** The name of the flag. */
  readonly name: string;
  readonly description: string;
} & (
  | { readonly type: "number"; readonly default: number; readonly min?: number }
  | { readonly type: "boolean"; readonly alias?: string }
);

/** The user's choices, by the names of the agent's options. Absent: the agent's own default. */
export interface CompactionOptions {
  /** Compact only past the agent's own threshold. */
  readonly auto: boolean;
  readonly [option: string]: number | boolean | undefined;
}

/** The session's leading log, and everything else that a plan may depend on. */
export interface CompactionInput {
  readonly library: Library;
  readonly files: SessionFiles;
  readonly snapshot: LogSnapshot;
  readonly options: CompactionOptions;
}

/** The number that the user chose for an option, or its default. */
export function chosenNumber(
  options: CompactionOptions,
  { name, default: standard }: { readonly name: string; readonly default: number },
): number {
  const chosen = options[name];
  return typeof chosen === "number" ? chosen : standard;
}

/** A part of a tool call that was shortened. */
export interface ShrunkPart {
  readonly toolUseId: string;
  readonly tool: string;
  readonly part: "input" | "result";
  /** Its size before. */
  readonly bytes: number;
}

/** Records of requests to the model that were shortened. The model does not see them again. */
export interface ShrunkRecords {
  readonly lines: number;
  /** Their size before. */
  readonly bytes: number;
}

/** The changes that a compaction would make to a log. Planned by the agent, carried out by `shrink`. */
export interface TokenChange {
  readonly before: number;
  readonly after: number;
}

export interface CompactionPlan {
  readonly plan: RewritePlan;
  readonly before: TokenEstimate;
  readonly after: TokenEstimate;
  /** Tokens that the agent loads, if `before` and `after` also count what it does not; absent: the same. */
  readonly context?: TokenChange;
  readonly shrunk: readonly ShrunkPart[];
  readonly records?: ShrunkRecords;
  /** Why there is nothing to do, as a sentence without its full stop; null if there is something. */
  readonly nothing: string | null;
}

/** Writes summaries, of sessions of any agent, in the form that an agent writes when it compacts. */
export interface SummaryForm {
  /** `earlier`: the summary of an earlier compaction, which is brought up to date. */
  write(session: Session, earlier: string | null): string;
  /**
   * Summarizes a log of the agent itself, whose lines say more than the session; undefined if the agent can't load
   * it.
   */
  writeOwn?(chunks: Iterable<Uint8Array>, mask: <T>(value: T) => T): string | undefined;
  writeBranch(branch: Session): string;
  /** The text that starts the next session. */
  continuation(summary: string): string;
}

/** How the entries of abandoned branches are named in an agent's logs. */
export interface NamedBranches {
  /** Reads the branch with an entry, which is named by its id, the start of the id, or the number of a turn. */
  read(session: Session, chunks: () => Iterable<Uint8Array>, name: string): NamedBranch;
}

export type NamedBranch =
  /** `session`: the branch as a separate session. */
  | { readonly kind: "branch"; readonly entry: string; readonly session: Session }
  /** Not abandoned: the entry is on the current path. */
  | { readonly kind: "current"; readonly entry: string }
  | { readonly kind: "ambiguous"; readonly entries: readonly string[]; readonly count: number }
  | { readonly kind: "unknown"; readonly entries: readonly string[] };

/** How an agent deletes old sessions, and the setting that controls it. */
export interface Retention {
  /** The key of that setting, a number of days. */
  readonly key: string;
  /** The time between two sweeps. */
  readonly pauseMs: number;
  /** The agent's folders on this machine, each with settings and sessions. */
  folders(library: Library): readonly string[];
  /** The user's settings files in which the number may be changed; none if it is only read. */
  settingsFiles(library: Library): readonly string[];
  /** The agent deletes logs below this folder. */
  sweptFolder(folder: string): string;
  /** The number that applies if the agent is started in `project`, and where it comes from. */
  effective(library: Library, folder: string, project: string, sources: SettingsSources): EffectiveRetention;
  /** When it last deleted logs; undefined if not known. */
  lastSweepMs(library: Library, folder: string): number | undefined;
}

/** Sources of settings besides an agent's own folder. */
export interface SettingsSources {
  /** The administrator's settings. */
  readonly managedFolder: string;
  /** The value of the agent's own settings flag: a path, or JSON. */
  readonly commandLine?: string | undefined;
}

export interface EffectiveRetention {
  readonly days: number;
  /** The path of the file that decides; `default` if none does. */
  readonly from: string;
  readonly layer: string;
  /** Set by an administrator, so users can't change it. */
  readonly managed: boolean;
  /** Why nothing is deleted although a number of days is known. */
  readonly paused: { readonly reason: string; readonly place: string; readonly what: string } | undefined;
}

/** For all of this user's projects, or for the current folder alone. */
export type Scope = "user" | "project";

/** Where an agent looks for skills. */
export interface Skills {
  /** Folders that have, or may have, a folder `skills`. */
  folders(library: Library, scope: Scope): readonly string[];
  /** Folders of other agents whose `skills` it reads too; a skill in one of them must not also be in its own. */
  alsoReads?(library: Library, scope: Scope): readonly string[];
}

/** Where an agent looks for slash commands, one markdown file each. */
export interface SlashCommands {
  folders(library: Library, scope: Scope): readonly string[];
}

/** Where an agent keeps its list of MCP servers. */
export interface McpServers {
  /** The files that our server is added to, JSON or TOML, and the path of the list in each. */
  lists(library: Library, scope: Scope): readonly { readonly path: string; readonly at: readonly string[] }[];
  /** The agent passes few of its variables to servers, so the entry must contain those that name folders. */
  readonly hidesVariables?: boolean;
  /** Whether a server's program and its arguments are one list. */
  readonly form?: "list";
}

/** How an agent informs other programs about events of a session. */
export interface Hooks {
  /** The events that are installed. */
  readonly events: readonly HookEvent[];
  /** How its settings name a program: as a list of arguments, or as a shell command line. */
  readonly form: "exec" | "shell";
  /** What the user has to do in the agent before it runs new hooks. */
  readonly trust?: string;
  /** The setting that switches off all hooks; absent if none of these files has it. */
  readonly offKey?: string;
  /** Whether the agent is installed on this machine. */
  isHere(library: Library): boolean;
  /** The settings files that our hooks are added to. */
  settingsFiles(library: Library, scope: Scope): readonly string[];
  /** Every settings file that may have hooks if the agent is started in the current folder. */
  allSettingsFiles(library: Library): readonly string[];
  /** Checks the agent's input. The event that it names takes precedence over the one on the command line. */
  read(text: string, subcommand: string): ReadHookInput;
  /** Formats a text that a hook hands to the agent when a session starts. */
  contextAnswer(text: string): object;
  /** Formats a text that a hook shows to the user. */
  noticeAnswer(text: string): object;
  /** Makes up a session below a folder, and the event that the agent would send about it. */
  makeTest(library: Pick<Library, "disk" | "now">, folder: string): HookTest;
}

export interface HookEvent {
  /** The agent's name for the event: in its settings, and in its input. */
  readonly name: string;
  /** Our name for it: `sessions hook pre-compact`. */
  readonly subcommand: string;
  /** How long the agent lets it run, in seconds. */
  readonly timeoutSeconds: number;
  /** Restricts the hook to some kinds of the event; absent: it runs for all of them. */
  readonly matcher?: string;
}

/** The parts of an agent's hook event that are used here. */
export interface HookInput {
  readonly agent: AgentName;
  /** Our name for the event. */
  readonly event: string;
  readonly sessionId: string | undefined;
  /** The session's log. It may lag behind the agent's memory. */
  readonly log: string | undefined;
  readonly folder: string | undefined;
  /** Why a session starts. */
  readonly source: string | undefined;
  /** The trigger of a compaction: `manual` or `auto`. */
  readonly trigger: string | undefined;
  /** The summary that a compaction made. */
  readonly summary: string | undefined;
}

export type ReadHookInput =
  | { readonly kind: "good"; readonly input: HookInput }
  | { readonly kind: "bad"; readonly what: string };

/** A made-up session, to check that hooks work. */
export interface HookTest {
  readonly sessionId: string;
  /** With these variables the agent's folders are below that folder. */
  readonly variables: Readonly<Record<string, string>>;
  /** The event that the agent would send on stdin. */
  input(event: string): string;
}

/** How an agent keeps track of plugins, ours among them. */
export interface PluginSupport {
  /** Our plugin, as it is installed for this user and this folder. */
  find(library: Library): readonly InstalledPlugin[];
  /** How the plugin's hooks run this program. */
  hookCommand(
    plugin: InstalledPlugin,
    words: readonly string[],
  ): { readonly command: string; readonly args: readonly string[] };
  /** The agent's command that enables it. */
  enable(plugin: InstalledPlugin): string;
  /** The agent's command that updates it. */
  update(plugin: InstalledPlugin): string;
}

export interface InstalledPlugin {
  /** The agent's name for it. */
  readonly name: string;
  readonly version: string | null;
  /** The folder of its files. */
  readonly folder: string;
  readonly isEnabled: boolean;
}

/** A file of ours that an agent loads into itself. It runs this program when an event of a session occurs. */
export interface Extension {
  /** The places to install it; none if it can't be installed for this scope. */
  paths(library: Library, scope: Scope): readonly string[];
  /** The text of the file. `program`: how this program is run. */
  text(program: readonly string[], summaryBy: SummaryBy): string;
  /** Who writes summaries according to an installed file; undefined if it does not say. */
  summaryBy(text: string): SummaryBy | undefined;
  /** How an installed file runs this program; undefined if it does not say. */
  program(text: string): readonly string[] | undefined;
  /** The events that it sends, by our names: `sessions hook before-compact`. */
  readonly events: readonly string[];
  read(text: string, event: string): ReadExtensionEvent;
}

/** Who writes the summary when an agent compacts: the agent itself, with its model, or this program. */
export type SummaryBy = "agent" | "sessions";

export type ReadExtensionEvent =
  | { readonly kind: "good"; readonly event: ExtensionEvent }
  | { readonly kind: "bad"; readonly what: string };

/** An event as an extension reports it. */
export interface ExtensionEvent {
  /** The session's log; undefined if the agent writes none. */
  readonly log: string | undefined;
  /** The agent is about to exit and should not have to wait. */
  readonly isEnd: boolean;
  /** The answer to the extension, in its own format; undefined if it expects none. */
  answer?(mask: <T>(value: T) => T): object;
}
