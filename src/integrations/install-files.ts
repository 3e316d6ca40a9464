import { Buffer } from "node:buffer";
import { join } from "node:path";
import { actionsOf, agentsThat } from "../agents/actions.ts";
import type { Extension, Scope, Skills, SummaryBy } from "../agents/agent-actions.ts";
import { agentNamed } from "../agents/agents.ts";
import type { Library } from "../fs/library.ts";
import { insideOf } from "../fs/places.ts";
import { shellQuote } from "../render/words.ts";
import { FOREVER_DAYS } from "../retention/retention-days.ts";
import { withRetention } from "../retention/set-retention.ts";
import type { AgentName } from "../session/entry.ts";
import { nameOfChange, type RequestedFile } from "../settings/change-files.ts";

import { type FileChange, type FileRecord, readReceipt, sha256 } from "../settings/receipt.ts";
import {
  type HookChange,
  type ServerChange,
  type SettingsFormat,
  undoChange,
} from "../settings/settings-change.ts";
import { placesIn } from "./place-variables.ts";
import { skillName, skillText } from "./skill.ts";
import { type SlashCommand, slashCommands } from "./slash-commands.ts";

export {
  changeEachFile,
  changeFiles,
  type FilePlan,
  findUnusable,
  nameOfChange,
  planFiles,
} from "../settings/change-files.ts";

/** Agents that something can be installed for. */
export const installableAgents: readonly AgentName[] = agentsThat("skills").map(({ agent }) => agent.name);
/** Agents that archive automatically after installing. */
const hookedAgents: readonly AgentName[] = agentsThat("hooks").map(({ agent }) => agent.name);
/** The default agents. */
export const defaultAgents: readonly AgentName[] = hookedAgents.slice(0, 1);

/** Everything that is installed into agents. */
export interface Package {
  /** How this program is run: absolute paths. */
  readonly program: { readonly command: string; readonly args: readonly string[] };
  /** Variables of this process: servers of some agents need those that name folders. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly skill: { readonly name: string; readonly text: string };
}

/** Everything that this version installs; `program` is how it is run. */
export function packageOf({ program, variables }: Pick<Package, "program" | "variables">): Package {
  return { program, variables, skill: { name: skillName, text: skillText } };
}

export interface InstallOptions {
  readonly agents: readonly AgentName[];
  readonly scope: Scope;
  /** Make agents keep sessions forever. */
  readonly retention: boolean;
  /** Who writes summaries, for agents with an extension. Absent: the present choice, or else the agent itself. */
  readonly summaryBy?: SummaryBy | undefined;
}

/** The files of an installation, with their requested content. */
export function installFiles(
  library: Library,
  pack: Package,
  options: InstallOptions,
): readonly RequestedFile[] {
  const skills = skillFiles(library, pack, { scope: options.scope, joining: options.agents });
  const others = skills.filter(({ agent }) => !options.agents.includes(agent));
  return [...filesOf(library, pack, options, skills), ...others];
}

/** The files of these agents, with the skills that belong to them. */
function filesOf(
  library: Library,
  pack: Package,
  options: InstallOptions,
  skills: readonly RequestedFile[],
): readonly RequestedFile[] {
  const { scope } = options;
  return options.agents.flatMap((agent) => {
    const { hooks, servers, slashCommands: commands } = actionsOf(agent);
    return [
      ...(hooks?.settingsFiles(library, scope) ?? []).map((path) => settingsFile(path, pack, agent, options)),
      ...(servers?.lists(library, scope) ?? []).map(({ path, at }) =>
        serversFile(path, serverChange(pack, agent, scope, path, at), agent),
      ),
      ...skills.filter((file) => file.agent === agent),
      ...(commands?.folders(library, scope) ?? []).flatMap((folder) =>
        commandsFor(pack).map(({ name, text }) =>
          contentFile(join(folder, `${name}.md`), { text, what: `the command /${name}` }, agent, scope),
        ),
      ),
      ...extensionFiles(library, pack, agent, options),
    ];
  });
}

/** The skill in the agent's own places. */
function ownSkills(
  library: Library,
  pack: Package,
  agent: AgentName,
  scope: Scope,
): readonly RequestedFile[] {
  const { skills } = actionsOf(agent);
  const paths = skills === undefined ? [] : skillPaths(library, pack, skills, scope);
  return paths.map((path) => contentFile(path, { text: pack.skill.text, what: "a skill" }, agent, scope));
}

interface SkillChange {
  readonly scope: Scope;
  /** The agents that get the skill. */
  readonly joining?: readonly AgentName[];
  /** The agents that lose it. */
  readonly leaving?: readonly AgentName[];
}

/**
 * The skill's files of the agents that get it, and of agents that have it, if theirs change. An agent that also reads
 * another agent's folder gets no copy of its own, because it would warn of two skills with one name. If that other
 * agent's copy is removed, it gets one.
 */
function skillFiles(
  library: Library,
  pack: Package,
  { scope, joining = [], leaving = [] }: SkillChange,
): readonly RequestedFile[] {
  const { disk, places } = library;
  const records = new Map(readReceipt(disk, places).map((record) => [record.path, record]));
  const own = new Map(
    agentsThat("skills").map(({ agent, how }) => [agent.name, skillPaths(library, pack, how, scope)]),
  );
  const pathsOf = (agent: AgentName): readonly string[] => own.get(agent) ?? [];
  const having = [...own.keys()].filter(
    (agent) =>
      !leaving.includes(agent) &&
      (joining.includes(agent) || pathsOf(agent).some((path) => records.get(path)?.agent === agent)),
  );
  const goes = new Set(leaving.flatMap(pathsOf));
  const isByOthers = (path: string): boolean =>
    !goes.has(path) && !records.has(path) && disk.stat(path) !== undefined;
  /** Where the agent finds the skill of another. */
  const elsewhere = (agent: AgentName): string | undefined => {
    const folders = actionsOf(agent).skills?.alsoReads?.(library, scope) ?? [];
    const others = having.filter((other) => other !== agent).flatMap(pathsOf);
    return folders
      .map((folder) => skillPath(pack, folder))
      .filter((path) => !pathsOf(agent).includes(path))
      .find((path) => others.includes(path) || isByOthers(path));
  };
  return having.flatMap((agent) => {
    const path = elsewhere(agent);
    const files = ownSkills(library, pack, agent, scope).map((file) => {
      const instead: FileChange | undefined = path === undefined ? undefined : { kind: "elsewhere", path };
      return instead === undefined ? file : { ...file, changesFor: () => [instead] };
    });
    const isMoving = (file: RequestedFile): boolean =>
      records.get(file.path)?.now.changes[0]?.kind !== file.changesFor([])[0]?.kind;
    return joining.includes(agent) ? files : files.filter(isMoving);
  });
}

function settingsFile(
  path: string,
  pack: Package,
  agent: AgentName,
  { scope, retention }: InstallOptions,
): RequestedFile {
  const hooks = hookChanges(pack, agent);
  const key = actionsOf(agent).retention?.key;
  return {
    path,
    agent,
    scope,
    kind: "settings",
    changesFor: (present) => {
      const requested = withChanges(present, hooks);
      // A setting made by `retention` is the user's own choice.
      const isSet = present.some((change) => change.kind === "value" && change.by === "retention");
      return retention && key !== undefined && !isSet
        ? withRetention(key, requested, FOREVER_DAYS, "install")
        : requested;
    },
  };
}

function withChanges(present: readonly FileChange[], ours: readonly FileChange[]): readonly FileChange[] {
  const names = new Set(ours.map(nameOfChange));
  return [...present.filter((change) => !names.has(nameOfChange(change))), ...ours];
}

/** The words of a hook after the program: an agent that is not the first of the table is named. */
export function hookWords(agent: AgentName, subcommand: string): readonly string[] {
  return ["hook", subcommand, ...(agent === hookedAgents[0] ? [] : [agent])];
}

function hookChanges({ program }: Package, agent: AgentName): readonly HookChange[] {
  const { events = [], form = "exec" } = actionsOf(agent).hooks ?? {};
  return events.map(({ name, subcommand, timeoutSeconds, matcher }) => {
    const args = [...program.args, ...hookWords(agent, subcommand)];
    return {
      kind: "hook",
      event: name,
      ...(matcher === undefined ? {} : { matcher }),
      ...(form === "exec"
        ? { command: program.command, args }
        : { command: shellQuote([program.command, ...args]), args: [] }),
      timeoutSeconds,
    };
  });
}

/** Our server's name in the lists of agents: answers of a server with that name are not indexed. */
export const SERVER_NAME = "sessions";

function serverChange(
  { program, variables }: Package,
  agent: AgentName,
  scope: Scope,
  path: string,
  at: readonly string[],
): ServerChange {
  const { hidesVariables = false, form } = actionsOf(agent).servers ?? {};
  return {
    kind: "server",
    format: formatOf(path),
    scope,
    at,
    name: SERVER_NAME,
    command: program.command,
    args: [...program.args, "mcp"],
    env: hidesVariables ? Object.fromEntries(placesIn(variables)) : {},
    ...(form === undefined ? {} : { form }),
  };
}

function formatOf(path: string): SettingsFormat {
  return path.endsWith(".toml") ? "toml" : "json";
}

/** Agents keep secrets next to their servers, so only the user may read a new file. */
function serversFile(path: string, server: ServerChange, agent: AgentName): RequestedFile {
  return {
    path,
    agent,
    scope: server.scope,
    kind: "settings",
    format: server.format,
    mode: 0o600,
    changesFor: (present) => withChanges(present, [server]),
  };
}

function commandsFor({ program: { command, args } }: Package): readonly SlashCommand[] {
  const line = shellQuote([command, ...args]);
  return slashCommands({ line, rule: line });
}

function contentFile(
  path: string,
  { text, what }: { readonly text: string; readonly what: string },
  agent: AgentName,
  scope: Scope,
): RequestedFile {
  const content: FileChange = { kind: "content", sha256: sha256(Buffer.from(text)) };
  return { path, agent, scope, kind: "content", text, what, changesFor: () => [content] };
}

/** The owner of shell scripts in the receipt. */
const SHELL = "shell";

/** A file with the completion for a shell. */
export function scriptFile(path: string, text: string): RequestedFile {
  return contentFile(path, { text, what: "a script for the shell" }, SHELL, "user");
}

function extensionFiles(
  library: Library,
  { program: { command, args } }: Package,
  agent: AgentName,
  { scope, summaryBy }: InstallOptions,
): readonly RequestedFile[] {
  const { extension } = actionsOf(agent);
  if (extension === undefined) return [];
  return extension.paths(library, scope).map((path) => {
    const who = summaryBy ?? installedSummary(library, extension, path) ?? "agent";
    return contentFile(
      path,
      { text: extension.text([command, ...args], who), what: "an extension" },
      agent,
      scope,
    );
  });
}

/** The agents whose summaries this program could write, with the present writer; undefined if nothing is installed. */
export function summaryWriters(
  library: Library,
  { agents, scope }: Pick<InstallOptions, "agents" | "scope">,
): readonly { readonly name: string; readonly now: SummaryBy | undefined }[] {
  return agents.flatMap((agent) => {
    const { extension } = actionsOf(agent);
    const [path] = extension?.paths(library, scope) ?? [];
    if (extension === undefined || path === undefined) return [];
    return [{ name: agentNamed(agent).displayName, now: installedSummary(library, extension, path) }];
  });
}

const MAX_EXTENSION_BYTES = 1024 * 1024;

function installedSummary({ disk }: Library, extension: Extension, path: string): SummaryBy | undefined {
  const text = disk.stat(path)?.kind === "file" ? disk.readFile(path, MAX_EXTENSION_BYTES) : undefined;
  return text === undefined ? undefined : extension.summaryBy(text.toString("utf8"));
}

export function skillPaths(
  library: Library,
  pack: Pick<Package, "skill">,
  skills: Skills,
  scope: Scope,
): readonly string[] {
  return skills.folders(library, scope).map((folder) => skillPath(pack, folder));
}

/** The path of our skill in a folder with skills: of an agent, a project or a plugin. */
export function skillPath({ skill }: Pick<Package, "skill">, folder: string): string {
  return join(folder, "skills", skill.name, "SKILL.md");
}

export interface UninstallOptions {
  readonly agents: readonly AgentName[];
  /** undefined: wherever something was installed. */
  readonly scope: Scope | undefined;
  /** Also the completion of shells. */
  readonly shells?: boolean;
}

/**
 * The files in which something was installed, by the receipt; and, since receipts can be lost, those that an
 * installation for this user or this folder would change.
 */
export function uninstallFiles(
  library: Library,
  pack: Package,
  options: UninstallOptions,
): readonly RequestedFile[] {
  const { agents, scope, shells = false } = options;
  const scopes: readonly Scope[] = scope === undefined ? ["user", "project"] : [scope];
  const recorded = readReceipt(library.disk, library.places).filter(
    (record) =>
      (agents.includes(record.agent) || (shells && record.agent === SHELL)) &&
      scopes.includes(record.scope) &&
      isHere(library, record, scope),
  );
  const files = new Map<string, RequestedFile>();
  for (const each of scopes) {
    // Others may have relied on a skill that is removed.
    for (const file of skillFiles(library, pack, { scope: each, leaving: agents }))
      files.set(file.path, file);
    const own = agents.flatMap((agent) => ownSkills(library, pack, agent, each));
    for (const file of filesOf(library, pack, { agents, scope: each, retention: false }, own)) {
      if (!files.has(file.path)) files.set(file.path, withoutOurs(file, scope));
    }
  }
  for (const record of recorded) {
    if (!files.has(record.path)) files.set(record.path, withoutOurs(recordedFile(record), scope));
  }
  return [...files.values()];
}

/** With the scope `project`, only files of this folder count. */
function isHere(library: Library, record: FileRecord, scope: Scope | undefined): boolean {
  return scope !== "project" || insideOf(library.environment.folder, record.path);
}

/** A file in the receipt, as if its changes were still requested. */
function recordedFile({ path, agent, scope, now, before }: FileRecord): RequestedFile {
  const isContent = [...now.changes, ...before.changes].some(
    ({ kind }) => kind === "content" || kind === "elsewhere",
  );
  return {
    path,
    agent,
    scope,
    ...(isContent ? { kind: "content" } : { kind: "settings", format: formatOf(path) }),
    changesFor: () => now.changes,
  };
}

/** The same file with nothing of ours in it, except settings made by `retention`, and servers of another scope. */
function withoutOurs(file: RequestedFile, scope: Scope | undefined): RequestedFile {
  if (file.kind === "content") return { ...file, changesFor: () => [] };
  const ours = file.changesFor([]);
  const names = new Set(ours.map(nameOfChange));
  const stays = (change: FileChange): boolean =>
    change.kind === "server"
      ? scope !== undefined && !names.has(nameOfChange(change))
      : change.kind === "value" && change.by === "retention";
  return {
    ...file,
    changesFor: (present) => present.filter(stays),
    editOriginal: (text) =>
      ours.reduce((rest, change) => {
        return change.kind === "hook" || change.kind === "server" ? undoChange(rest, change, "") : rest;
      }, text),
  };
}
