import { agentsThat } from "../../agents/actions.ts";
import type { HookEvent, Hooks } from "../../agents/agent-actions.ts";
import { agents } from "../../agents/agents.ts";
import type { Library } from "../../fs/library.ts";
import type { SessionCatalog } from "../../search/session-catalog.ts";
import { settingAt } from "../../settings/parse-settings.ts";
import { findHooks } from "../../settings/settings-change.ts";
import { readSettingsFile, readTextFile } from "../../settings/settings-file.ts";
import { type Package, skillPaths } from "../install-files.ts";
import { type Check, count, note, ok, problem } from "./check.ts";
import { type DryRun, runDryEvents } from "./dry-events.ts";

/** A hook of ours as it stands in settings. */
export interface InstalledHook {
  /** As the agent calls it. */
  readonly event: string;
  readonly subcommand: string;
  readonly path: string;
  readonly command: string;
  readonly args: readonly string[];
}

/** Are our hooks in the settings of agents that have hooks, and do they do their work? */
export async function checkHooks(library: Library, run: DryRun): Promise<readonly Check[]> {
  const checks: Check[] = [];
  for (const { agent, how } of agentsThat("hooks")) {
    checks.push(
      how.isHere(library)
        ? await checkHooksOf(library, how, run)
        : note("hooks", `${agent.name} is not here`),
    );
  }
  return checks;
}

async function checkHooksOf(library: Library, how: Hooks, run: DryRun): Promise<Check> {
  const files = how.allSettingsFiles(library).flatMap((path) => {
    const file = readSettingsFile(library.disk, path);
    return file.kind === "parsed" ? [file] : [];
  });
  const off = files.find(({ settings }) => settingAt(settings, [how.offKey]) === true);
  if (off !== undefined)
    return problem("hooks", "all hooks are switched off", `take "${how.offKey}" out of ${off.path}`);
  const installed = files.flatMap(({ path, settings }) => hooksIn(path, settings.text, how.events));
  const missing = how.events.filter(({ name }) => !installed.some(({ event }) => event === name));
  if (missing.length === how.events.length) {
    const what = "not installed: sessions are archived only when `sessions` is run";
    return problem("hooks", what, "sessions install");
  }
  if (missing.length > 0) {
    const names = missing.map(({ name }) => name).join(", ");
    return problem("hooks", `not installed: ${names}`, "sessions install");
  }
  const failures = await runDryEvents(library, how, installed, run);
  const places = [...new Set(installed.map(({ path }) => path))];
  return failures.length === 0
    ? ok("hooks", `${installed.length} installed, and a dry event went through each`, places)
    : problem("hooks", "installed, but they do not work", "sessions install", failures);
}

function hooksIn(path: string, text: string, events: readonly HookEvent[]): readonly InstalledHook[] {
  return events.flatMap(({ name, subcommand }) =>
    findHooks(text, { event: name, args: ["hook", subcommand] }).flatMap(({ handler }) => {
      const { command, args } = { command: "", args: [], ...handler };
      return typeof command === "string" && Array.isArray(args)
        ? [{ event: name, subcommand, path, command, args: args.map(String) }]
        : [];
    }),
  );
}

/** Is the skill there, for the agents that have it, and is it this version's? */
export function checkSkill(library: Library, pack: Package): Check {
  // In the home itself this folder's skills are the user's.
  const places = new Set(
    agentsThat("skills").flatMap(({ how }) =>
      (["user", "project"] as const).flatMap((scope) => skillPaths(library, pack, how, scope)),
    ),
  );
  const states = [...places].flatMap((path) => {
    const file = readTextFile(library.disk, path);
    return file.kind === "read" ? [{ path, isCurrent: file.text === pack.skill.text }] : [];
  });
  const paths = states.map(({ path }) => path);
  if (states.length === 0) {
    return note("skill", "agents do not know how to look into earlier sessions", "sessions install --all");
  }
  const old = states.filter(({ isCurrent }) => !isCurrent).map(({ path }) => path);
  return old.length === 0
    ? ok("skill", `${pack.skill.name} is installed`, paths)
    : note("skill", `${pack.skill.name} is another version's, or was changed`, "sessions install --all", old);
}

export interface FoundAgent {
  readonly agent: string;
  readonly name: string;
  readonly sessions: number;
  /** The one that wrote the newest session; null where its logs do not say. */
  readonly version: string | null;
}

/** The agents whose sessions are here, the one with the most first. */
export async function findAgents({ rows, digestOf }: SessionCatalog): Promise<readonly FoundAgent[]> {
  const found: FoundAgent[] = [];
  for (const { agent, name } of agents) {
    const own = rows.filter(({ digest, state }) => digest.agent === agent && state !== "stub");
    const [newest] = own;
    if (newest === undefined) continue;
    found.push({ agent, name, sessions: own.length, version: (await digestOf(newest))?.version ?? null });
  }
  return found.sort((a, b) => b.sessions - a.sessions);
}

export function checkAgents(agents: readonly FoundAgent[]): Check {
  if (agents.length === 0) return note("agents", "no agent has written any session here");
  const lines = agents.map(
    ({ name, sessions, version }) =>
      `${name}${version === null ? "" : ` ${version}`}: ${count(sessions, "session")}`,
  );
  return ok("agents", `${count(agents.length, "agent")} found`, lines);
}
