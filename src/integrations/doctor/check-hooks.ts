import { actionsOf, agentsThat } from "../../agents/actions.ts";
import type { Agent } from "../../agents/agent.ts";
import type { Hooks } from "../../agents/agent-actions.ts";
import { agents } from "../../agents/agents.ts";
import type { Library } from "../../fs/library.ts";
import type { SessionCatalog } from "../../search/session-catalog.ts";
import type { AgentName } from "../../session/entry.ts";
import { settingAt } from "../../settings/parse-settings.ts";
import { findHooks } from "../../settings/settings-change.ts";
import { readSettingsFile, readTextFile } from "../../settings/settings-file.ts";
import { defaultAgents, hookWords, type Package, skillPath, skillPaths } from "../install-files.ts";
import { type Check, count, note, ok, problem } from "./check.ts";
import { type RunSilently, runTestEvents } from "./test-events.ts";

/** One of our hooks in a settings file. */
export interface InstalledHook {
  /** The agent's name for it. */
  readonly event: string;
  readonly subcommand: string;
  readonly path: string;
  readonly command: string;
  readonly args: readonly string[];
}

/** Checks that our hooks are in the settings of the installed agents that support hooks, and that they work. */
export async function checkHooks(library: Library, run: RunSilently): Promise<readonly Check[]> {
  const checks: Check[] = [];
  for (const { agent, how } of agentsThat("hooks")) {
    if (how.isHere(library)) checks.push(await checkHooksOf(library, agent, how, run));
    else if (deletes(agent)) checks.push(note("hooks", `${agent.displayName} is not installed`));
  }
  return checks;
}

/** An agent that deletes sessions needs hooks more than others do. */
function deletes({ deletesAfterMs }: Agent): boolean {
  return deletesAfterMs !== undefined;
}

async function checkHooksOf(library: Library, agent: Agent, how: Hooks, run: RunSilently): Promise<Check> {
  const files = how.allSettingsFiles(library).flatMap((path) => {
    const file = readSettingsFile(library.disk, path);
    return file.kind === "parsed" ? [file] : [];
  });
  const { offKey } = how;
  const off =
    offKey === undefined ? undefined : files.find(({ settings }) => settingAt(settings, [offKey]) === true);
  if (off !== undefined)
    return problem(
      "hooks",
      `${agent.displayName}: all hooks are disabled`,
      `remove "${offKey}" from ${off.path}`,
    );
  const inSettings = files.flatMap(({ path, settings }) => hooksIn(path, settings.text, agent.name, how));
  // The plugin leaves hooks to the settings if those have them.
  const ofPlugin = pluginHooks(library, agent.name, how).filter(
    ({ event }) => !inSettings.some((hook) => hook.event === event),
  );
  const installed = [...inSettings, ...ofPlugin];
  const missing = how.events.filter(({ name }) => !installed.some(({ event }) => event === name));
  const isDefault = defaultAgents.includes(agent.name);
  const fix = isDefault ? "sessions install" : `sessions install --agent ${agent.name}`;
  if (missing.length === how.events.length) {
    const what = `${agent.displayName}: not installed, so sessions are archived only when \`sessions\` is run`;
    return deletes(agent) ? problem("hooks", what, fix) : note("hooks", what, fix);
  }
  if (missing.length > 0) {
    const names = missing.map(({ name }) => name).join(", ");
    return problem("hooks", `${agent.displayName}: not installed: ${names}`, fix);
  }
  const failures = await runTestEvents(library, how, installed, run);
  const bringers =
    ofPlugin.length === 0
      ? ""
      : inSettings.length === 0
        ? " by the plugin"
        : `, ${ofPlugin.length} by the plugin`;
  const places = [...new Set(installed.map(({ path }) => path))];
  return failures.length === 0
    ? ok(
        "hooks",
        `${agent.displayName}: ${installed.length} installed${bringers}, and a test event passed through each`,
        places,
      )
    : problem("hooks", `${agent.displayName}: installed, but they do not work`, fix, failures);
}

function hooksIn(path: string, text: string, agent: AgentName, { events }: Hooks): readonly InstalledHook[] {
  return events.flatMap(({ name, subcommand }) =>
    findHooks(text, name, hookWords(agent, subcommand).join(" ")).flatMap(({ handler }) => {
      const { command, args } = { command: "", args: [], ...handler };
      if (typeof command !== "string" || !Array.isArray(args)) return [];
      const [program, words] = args.length > 0 ? [command, args.map(String)] : ["/bin/sh", ["-c", command]];
      return [{ event: name, subcommand, path, command: program, args: words }];
    }),
  );
}

/** The hooks that our plugin provides, if it is enabled. */
function pluginHooks(library: Library, agent: AgentName, { events }: Hooks): readonly InstalledHook[] {
  const { plugins } = actionsOf(agent);
  const plugin = plugins?.find(library).find(({ isEnabled }) => isEnabled);
  if (plugins === undefined || plugin === undefined) return [];
  return events.map(({ name, subcommand }) => ({
    event: name,
    subcommand,
    path: plugin.folder,
    ...plugins.hookCommand(plugin, ["hook", subcommand]),
  }));
}

/** Checks that the skill is installed, in this version. */
export function checkSkill(library: Library, pack: Package): Check {
  // In the home folder, the project's skill folder is the user's.
  const places = new Set([
    ...agentsThat("skills").flatMap(({ how }) =>
      (["user", "project"] as const).flatMap((scope) => skillPaths(library, pack, how, scope)),
    ),
    ...agentsThat("plugins").flatMap(({ how }) =>
      how.find(library).flatMap(({ folder, isEnabled }) => (isEnabled ? [skillPath(pack, folder)] : [])),
    ),
  ]);
  const states = [...places].flatMap((path) => {
    const file = readTextFile(library.disk, path);
    return file.kind === "read" ? [{ path, isCurrent: file.text === pack.skill.text }] : [];
  });
  const paths = states.map(({ path }) => path);
  if (states.length === 0) {
    return note("skill", "not installed: agents can't search earlier sessions", "sessions install --all");
  }
  const old = states.filter(({ isCurrent }) => !isCurrent).map(({ path }) => path);
  return old.length === 0
    ? ok("skill", `${pack.skill.name} is installed`, paths)
    : note("skill", `${pack.skill.name} is of another version, or was edited`, "sessions install --all", old);
}

export interface FoundAgent {
  readonly agent: string;
  readonly name: string;
  readonly sessions: number;
  /** The version that wrote the newest session; null if its logs do not say. */
  readonly version: string | null;
}

/** Finds the agents that have sessions here, the one with the most first. */
export async function findAgents({ rows, digestOf }: SessionCatalog): Promise<readonly FoundAgent[]> {
  const found: FoundAgent[] = [];
  for (const { name: agent, displayName: name } of agents) {
    const own = rows.filter(({ digest, state }) => digest.agent === agent && state !== "stub");
    const [newest] = own;
    if (newest === undefined) continue;
    found.push({ agent, name, sessions: own.length, version: (await digestOf(newest))?.version ?? null });
  }
  return found.sort((a, b) => b.sessions - a.sessions);
}

export function checkAgents(agents: readonly FoundAgent[], isAnyUnread: boolean): Check {
  if (agents.length === 0)
    return note("agents", isAnyUnread ? "no sessions can be read" : "no agent has sessions here");
  const lines = agents.map(
    ({ name, sessions, version }) =>
      `${name}${version === null ? "" : ` ${version}`}: ${count(sessions, "session")}`,
  );
  return ok("agents", `${count(agents.length, "agent")} found`, lines);
}
