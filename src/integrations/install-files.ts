import { Buffer } from "node:buffer";
import { join, resolve } from "node:path";
import type { Library } from "../fs/library.ts";
import { insideOf } from "../fs/places.ts";
import { FOREVER_DAYS, withRetention } from "../retention/set-retention.ts";
import { ownFolders } from "../retention/settings-layers.ts";
import { nameOfChange, type RequestedFile } from "../settings/change-files.ts";
import { type FileChange, type FileRecord, readReceipt, sha256 } from "../settings/receipt.ts";
import { type HookChange, undoChange } from "../settings/settings-change.ts";
import { hookEvents } from "./hooks/hook-input.ts";
import { skillName, skillText } from "./skill.ts";

export const installableAgents = ["claude", "pi", "codex"] as const;
export type InstallableAgent = (typeof installableAgents)[number];
export type Scope = "user" | "project";

/** What is installed into agents. */
export interface Package {
  /** How this program is run: absolute paths. */
  readonly program: { readonly command: string; readonly args: readonly string[] };
  readonly hooks: readonly {
    readonly name: string;
    readonly subcommand: string;
    readonly timeoutSeconds: number;
    readonly matcher?: string;
  }[];
  readonly skill: { readonly name: string; readonly text: string };
}

/** What this version installs, run as `program` says. */
export function packageOf({ program }: Pick<Package, "program">): Package {
  return { program, hooks: hookEvents, skill: { name: skillName, text: skillText } };
}

export interface InstallOptions {
  readonly agents: readonly InstallableAgent[];
  readonly scope: Scope;
  /** Whether Claude Code is to keep sessions for good. */
  readonly retention: boolean;
}

/** The files that an installation needs, with what is to stand in them. */
export function installFiles(
  library: Library,
  pack: Package,
  options: InstallOptions,
): readonly RequestedFile[] {
  const { scope } = options;
  return options.agents.flatMap((agent) => [
    ...(agent === "claude"
      ? settingsPaths(library, scope).map((path) => settingsFile(path, pack, options))
      : []),
    ...skillPaths(library, pack, agent, scope).map((path) => skillFile(path, pack, agent, scope)),
  ]);
}

function settingsFile(path: string, pack: Package, { scope, retention }: InstallOptions): RequestedFile {
  const hooks = hookChanges(pack);
  return {
    ...{ path, agent: "claude", scope, kind: "settings" },
    wanted: (present) => {
      const names = new Set(hooks.map(nameOfChange));
      const others = present.filter((change) => !names.has(nameOfChange(change)));
      const wanted = [...others, ...hooks];
      // What `retention` set is the user's own wish.
      const isSet = present.some((change) => change.kind === "value" && change.by === "retention");
      return retention && !isSet ? withRetention(wanted, FOREVER_DAYS, "install") : wanted;
    },
  };
}

export function hookChanges({ program, hooks }: Package): readonly HookChange[] {
  return hooks.map(({ name, subcommand, timeoutSeconds, matcher }) => ({
    kind: "hook",
    event: name,
    ...(matcher === undefined ? {} : { matcher }),
    command: program.command,
    args: [...program.args, "hook", subcommand],
    timeoutSeconds,
  }));
}

function skillFile(path: string, { skill }: Package, agent: InstallableAgent, scope: Scope): RequestedFile {
  const content: FileChange = { kind: "content", sha256: sha256(Buffer.from(skill.text)) };
  return { path, agent, scope, kind: "content", text: skill.text, wanted: () => [content] };
}

/**
 * The hooks name the paths of this machine, and so do not belong into a project's settings.json, which is shared;
 * settings.local.json is each person's own.
 */
export function settingsPaths(library: Library, scope: Scope): readonly string[] {
  return scope === "user"
    ? ownFolders(library).map((folder) => join(folder, "settings.json"))
    : [join(library.surroundings.folder, ".claude", "settings.local.json")];
}

export function skillPaths(
  library: Library,
  { skill }: Pick<Package, "skill">,
  agent: InstallableAgent,
  scope: Scope,
): readonly string[] {
  const { home, variables, folder } = library.surroundings;
  const piFolder = resolve(folder, variables.PI_CODING_AGENT_DIR || join(home, ".pi", "agent"));
  const folders: Readonly<Record<InstallableAgent, Readonly<Record<Scope, readonly string[]>>>> = {
    claude: { user: ownFolders(library), project: [join(folder, ".claude")] },
    pi: { user: [piFolder], project: [join(folder, ".pi")] },
    codex: { user: [join(home, ".agents")], project: [join(folder, ".agents")] },
  };
  return folders[agent][scope].map((each) => join(each, "skills", skill.name, "SKILL.md"));
}

export interface UninstallOptions {
  readonly agents: readonly InstallableAgent[];
  /** undefined: wherever something was installed. */
  readonly scope: Scope | undefined;
}

/**
 * The files that something was installed in, by the receipt; and, as receipts can be lost, those in which an
 * installation for this user or this folder would put something.
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
  const wanted = new Map<string, RequestedFile>();
  for (const record of recorded) wanted.set(record.path, withoutOurs(record, pack));
  for (const each of scopes) {
    for (const file of installFiles(library, pack, { agents, scope: each, retention: false })) {
      if (!wanted.has(file.path)) wanted.set(file.path, withoutOurs(file, pack));
    }
  }
  return [...wanted.values()];
}

/** Of projects only this one is meant, where projects are asked for. */
function isHere(library: Library, record: FileRecord, scope: Scope | undefined): boolean {
  return scope !== "project" || insideOf(library.surroundings.folder, record.path);
}

function withoutOurs(file: RequestedFile | FileRecord, pack: Package): RequestedFile {
  const { path, agent, scope } = file;
  const isContent = "kind" in file ? file.kind === "content" : isOurFile(file);
  if (isContent) return { path, agent, scope, kind: "content", text: pack.skill.text, wanted: () => [] };
  return {
    ...{ path, agent, scope, kind: "settings" },
    wanted: (present) => present.filter((change) => change.kind === "value" && change.by === "retention"),
    editOriginal: (text) => hookChanges(pack).reduce((rest, change) => undoChange(rest, change, ""), text),
  };
}

function isOurFile({ now, before }: FileRecord): boolean {
  return [...now.changes, ...before.changes].some(({ kind }) => kind === "content");
}
