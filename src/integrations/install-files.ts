import { Buffer } from "node:buffer";
import { join } from "node:path";
import { actionsOf, agentsThat } from "../agents/actions.ts";
import type { Extension, Scope, Skills, SummaryBy } from "../agents/agent-actions.ts";
import { agentNamed } from "../agents/agents.ts";
import type { Library } from "../fs/library.ts";
import { insideOf } from "../fs/places.ts";
import { FOREVER_DAYS, withRetention } from "../retention/set-retention.ts";
import type { AgentName } from "../session/entry.ts";
import { nameOfChange, type RequestedFile } from "../settings/change-files.ts";

import { type FileChange, type FileRecord, readReceipt, sha256 } from "../settings/receipt.ts";
import { type HookChange, undoChange } from "../settings/settings-change.ts";
import { skillName, skillText } from "./skill.ts";

export { changeFiles, type FilePlan, nameOfChange, planFiles } from "../settings/change-files.ts";

/** Agents that something can be installed for. */
export const installableAgents: readonly AgentName[] = agentsThat("skills").map(({ agent }) => agent.agent);
/** Those that archive by themselves then: they are meant if none is named. */
export const hookedAgents: readonly AgentName[] = agentsThat("hooks").map(({ agent }) => agent.agent);

/** What is installed into agents. */
export interface Package {
  /** How this program is run: absolute paths. */
  readonly program: { readonly command: string; readonly args: readonly string[] };
  readonly skill: { readonly name: string; readonly text: string };
}

/** What this version installs, run as `program` says. */
export function packageOf({ program }: Pick<Package, "program">): Package {
  return { program, skill: { name: skillName, text: skillText } };
}

export interface InstallOptions {
  readonly agents: readonly AgentName[];
  readonly scope: Scope;
  /** Make agents keep sessions for ever. */
  readonly retention: boolean;
  /** Who writes summaries, for agents with an extension. Absent: as it is installed now, else the agent itself. */
  readonly summaryBy?: SummaryBy | undefined;
}

/** The files of an installation, with their requested content. */
export function installFiles(
  library: Library,
  pack: Package,
  options: InstallOptions,
): readonly RequestedFile[] {
  const { scope } = options;
  return options.agents.flatMap((agent) => {
    const { hooks, skills } = actionsOf(agent);
    return [
      ...(hooks?.settingsFiles(library, scope) ?? []).map((path) => settingsFile(path, pack, agent, options)),
      ...(skills === undefined ? [] : skillPaths(library, pack, skills, scope)).map((path) =>
        contentFile(path, { text: pack.skill.text, what: "a skill" }, agent, scope),
      ),
      ...extensionFiles(library, pack, agent, options),
    ];
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
    wanted: (present) => {
      const names = new Set(hooks.map(nameOfChange));
      const others = present.filter((change) => !names.has(nameOfChange(change)));
      const wanted = [...others, ...hooks];
      // What `retention` set is the user's own choice.
      const isSet = present.some((change) => change.kind === "value" && change.by === "retention");
      return retention && key !== undefined && !isSet
        ? withRetention(key, wanted, FOREVER_DAYS, "install")
        : wanted;
    },
  };
}

function hookChanges({ program }: Package, agent: AgentName): readonly HookChange[] {
  const events = actionsOf(agent).hooks?.events ?? [];
  return events.map(({ name, subcommand, timeoutSeconds, matcher }) => ({
    kind: "hook",
    event: name,
    ...(matcher === undefined ? {} : { matcher }),
    command: program.command,
    args: [...program.args, "hook", subcommand],
    timeoutSeconds,
  }));
}

function contentFile(
  path: string,
  { text, what }: { readonly text: string; readonly what: string },
  agent: AgentName,
  scope: Scope,
): RequestedFile {
  const content: FileChange = { kind: "content", sha256: sha256(Buffer.from(text)) };
  return { path, agent, scope, kind: "content", text, what, wanted: () => [content] };
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

/** The agents whose summaries this program could write, with who writes them now; undefined if nothing is installed. */
export function summaryWriters(
  library: Library,
  { agents, scope }: Pick<InstallOptions, "agents" | "scope">,
): readonly { readonly name: string; readonly now: SummaryBy | undefined }[] {
  return agents.flatMap((agent) => {
    const { extension } = actionsOf(agent);
    const [path] = extension?.paths(library, scope) ?? [];
    if (extension === undefined || path === undefined) return [];
    return [{ name: agentNamed(agent).name, now: installedSummary(library, extension, path) }];
  });
}

const MAX_EXTENSION_BYTES = 1024 * 1024;

function installedSummary({ disk }: Library, extension: Extension, path: string): SummaryBy | undefined {
  const text = disk.stat(path)?.kind === "file" ? disk.readFile(path, MAX_EXTENSION_BYTES) : undefined;
  return text === undefined ? undefined : extension.summaryBy(text.toString("utf8"));
}

export function skillPaths(
  library: Library,
  { skill }: Pick<Package, "skill">,
  skills: Skills,
  scope: Scope,
): readonly string[] {
  return skills.folders(library, scope).map((folder) => join(folder, "skills", skill.name, "SKILL.md"));
}

export interface UninstallOptions {
  readonly agents: readonly AgentName[];
  /** undefined: wherever something was installed. */
  readonly scope: Scope | undefined;
}

/**
 * The files that something was installed in, by the receipt; and, since receipts can be lost, those that an installation
 * for this user or this folder would change.
 */
export function uninstallFiles(
  library: Library,
  pack: Package,
  options: UninstallOptions,
): readonly RequestedFile[] {
  const { agents, scope } = options;
  const scopes: readonly Scope[] = scope === undefined ? ["user", "project"] : [scope];
  const recorded = readReceipt(library.disk, library.places).filter(
    (record) =>
      agents.includes(record.agent) && scopes.includes(record.scope) && isHere(library, record, scope),
  );
  const installed = scopes.flatMap((each) =>
    installFiles(library, pack, { agents, scope: each, retention: false }),
  );
  const texts = new Map(installed.map(({ path, text }) => [path, text]));
  const wanted = new Map<string, RequestedFile>();
  for (const file of [...recorded, ...installed])
    if (!wanted.has(file.path)) wanted.set(file.path, withoutOurs(file, pack, texts.get(file.path)));
  return [...wanted.values()];
}

/** With the scope `project`, only files of this folder count. */
function isHere(library: Library, record: FileRecord, scope: Scope | undefined): boolean {
  return scope !== "project" || insideOf(library.surroundings.folder, record.path);
}

/** `text`: what an installation would write, if the whole file is ours. */
function withoutOurs(
  file: RequestedFile | FileRecord,
  pack: Package,
  text: string | undefined,
): RequestedFile {
  const { path, agent, scope } = file;
  const isContent = "kind" in file ? file.kind === "content" : isOurFile(file);
  if (isContent) return { path, agent, scope, kind: "content", text: text ?? "", wanted: () => [] };
  return {
    path,
    agent,
    scope,
    kind: "settings",
    wanted: (present) => present.filter((change) => change.kind === "value" && change.by === "retention"),
    editOriginal: (text) =>
      hookChanges(pack, agent).reduce((rest, change) => undoChange(rest, change, ""), text),
  };
}

function isOurFile({ now, before }: FileRecord): boolean {
  return [...now.changes, ...before.changes].some(({ kind }) => kind === "content");
}
