import { exitCodes, openHistory } from "../../index.ts";
import { type HookPorts, handleExtensionEvent, handleHook } from "../../integrations/hooks/handle-hook.ts";
import {
  extensionOf,
  hookSubcommands,
  maxInputBytes,
  readHookInput,
} from "../../integrations/hooks/hook-input.ts";
import { noteFailure } from "../../integrations/hooks/note-failure.ts";
import { hasInstalledHook } from "../../integrations/installed.ts";
import { type Command, defineCommand, pluginFlag } from "../command.ts";
import { claimGuard, mayStartGuard } from "../guard-afterwards.ts";
import { machineOf } from "../open-store.ts";
import type { World } from "../world.ts";

/** The most sessions of a folder that a recall packet could name. */
const RECENT = 20;

/** How long an agent waits for a store that another process writes to. */
const LOCK_MS = 2_000;

export const command: Command = defineCommand({
  description:
    "Called by agents, with the event as JSON on stdin; `sessions install` sets it up. pre-compact archives " +
    "the session; session-end leaves that to a background process; post-compact stores the summary; " +
    "session-start hands the agent, after a compaction, a short reminder of what it was doing (config.json: " +
    "hooks.recall). before-compact, before-tree and shutdown come from the extension for Pi: they archive the " +
    "session, and return a summary if the extension asks for one.\n\n" +
    "The exit code is always 0, and only what the event allows is printed. Errors are written to " +
    "logs/hooks.log in SESSIONS_HOME.",
  examples: [
    { line: "sessions hook pre-compact < event.json", says: "archive the session that the event names" },
  ],
  positionals: [
    {
      name: "event",
      description: hookSubcommands().join(", "),
      optional: true,
      many: true,
    },
  ],
  flags: { plugin: pluginFlag },
  async run({ positionals, flags: { plugin } }, world) {
    const [subcommand = "", agent] = positionals;
    if (world.stdin.isTerminal) {
      // A person would have to end the input, and this is not a failure that belongs in the log.
      world.stderr.write(
        "sessions hook is called by agents, with an event as JSON on stdin; `sessions install` sets it up.\n",
      );
      return exitCodes.done;
    }
    const note = (what: string): void => log(world, subcommand, what);
    try {
      world.stdout.write(await answer({ subcommand, agent, plugin }, world, note));
    } catch (error) {
      note(error instanceof Error ? error.message : String(error));
    }
    return exitCodes.done;
  },
});

interface Called {
  readonly subcommand: string;
  readonly agent: string | undefined;
  /** The agent whose plugin calls. */
  readonly plugin: string | undefined;
}

async function answer(
  { subcommand, agent, plugin }: Called,
  world: World,
  note: (what: string) => void,
): Promise<string> {
  const extension = extensionOf(subcommand);
  const text = await world.stdin.readText(
    maxInputBytes(subcommand),
    extension === undefined ? isWholeEvent : undefined,
  );
  if (extension !== undefined) {
    const read = extension.read(text, subcommand);
    if (read.kind === "good") return handleExtensionEvent(read.event, await openPorts(world, note));
    note(read.what);
    return "";
  }
  const read = readHookInput(text, subcommand, agent ?? plugin);
  if (read.kind === "bad") {
    note(read.what);
    return "";
  }
  const ports = await openPorts(world, note);
  if (plugin !== undefined && hasInstalledHook(ports.library, plugin, read.input.event)) return "";
  return handleHook(read.input, ports);
}

/** If the agent does not close the pipe, it would wait for us, and we for it. */
function isWholeEvent(text: string): boolean {
  if (!text.trimEnd().endsWith("}")) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

async function openPorts(world: World, note: (what: string) => void): Promise<HookPorts> {
  // A session that is not archived now may be lost, whatever the settings say.
  const { library, writing, list, pending } = await openHistory({
    ...machineOf(world),
    allowBrokenSettings: true,
  });
  const { locking, markdown } = await writing();
  const { settingsFault: fault } = library;
  if (fault !== undefined) note(fault.message);
  const detach = async (args: readonly string[]): Promise<boolean> =>
    mayStartGuard(world) && (await world.startDetached?.(args)) === true;
  return {
    library,
    markdown: fault?.isRedactUnknown === true ? undefined : markdown,
    locking: { ...locking, timeoutMs: LOCK_MS },
    handOver: (log) => detach(["guard", "--log", log]),
    projectOf: async (folder) => {
      // Without an index one would be built, while the agent waits.
      if (library.disk.stat(library.places.index) === undefined) return undefined;
      const { project, sessions } = await pending({ folder, limit: RECENT, skipRefresh: true });
      if (project === undefined) return undefined;
      const { rows } = await list({ filter: { project: [project] }, limit: RECENT, skipRefresh: true });
      return { folder: project, sessions: rows.map(({ digest }) => digest), open: sessions };
    },
    startGuard: async () => {
      if (claimGuard(world, library, false)) await detach(["guard"]);
    },
    managedFolder: world.managedFolder,
    note,
  };
}

/** Writes to the log, or to stderr if the log can't be written. */
function log(world: World, event: string, what: string): void {
  try {
    noteFailure(world, event === "" ? "hook" : event, what);
  } catch (error) {
    world.stderr.write(`sessions hook: ${what}; ${String(error)}\n`);
  }
}
