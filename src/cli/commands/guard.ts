import { exitCodes, openHistory, remotesOf } from "../../index.ts";
import { noteFailure } from "../../integrations/hooks/note-failure.ts";
import { type Command, defineCommand } from "../command.ts";
import { keepSite } from "../keep-site.ts";
import { machineOf } from "../open-store.ts";
import { amountOf } from "../output/amounts.ts";
import { printJson } from "../output/print-json.ts";
import { reportProblems } from "../output/problems.ts";
import { sanitize } from "../output/sanitize.ts";

/** In the background there is time to wait for the store. */
const LOCK_MS = 10 * 60_000;
/** Repeated reports of the same damaged files would fill the log. */
const MAX_NOTED = 5;

export const command: Command = defineCommand({
  description:
    "Archives every session that is not archived yet and has been quiet for ten minutes, and updates the " +
    "index; then syncs with the remotes under `sync.remotes` in config.json, if a sync is due. Other commands " +
    "start it in the background, at most once a minute. If config.json is broken, it only archives. Its " +
    "errors are written to a log that `sessions doctor` shows.",
  examples: [{ line: "sessions guard", says: "archive sessions that are not archived yet" }],
  positionals: [],
  flags: {
    log: {
      type: "string",
      placeholder: "FILE",
      values: "file",
      description: "the log of a session to archive first, even if it is in use",
    },
  },
  async run({ flags }, world) {
    try {
      // The agent deletes its logs whatever our settings say.
      const history = await openHistory({ ...machineOf(world), allowBrokenSettings: true });
      const isBroken = history.library.settingsFault !== undefined;
      const { archived, ...guarded } = await history.guard({ log: flags.log, lockTimeoutMs: LOCK_MS });
      const site = isBroken ? [] : (await keepSite(history, world)).problems;
      const problems = [...guarded.problems, ...site];
      for (const { path, line, what } of problems.slice(0, MAX_NOTED)) {
        noteFailure(world, "guard", `${path}:${line}: ${what}`);
      }
      const synced = isBroken ? [] : await remotesOf(history).syncIfDue();
      const failures = synced.flatMap((each) => each.problems.map((what) => `${each.remote}: ${what}`));
      for (const what of failures.slice(0, MAX_NOTED)) noteFailure(world, "sync", what);
      if (flags.json) printJson(world, { archived, problems, synced });
      else {
        world.stdout.write(
          `${archived === 0 ? "Nothing to archive" : `${amountOf(archived, "session")} archived`}.\n`,
        );
        for (const { remote } of synced) world.stdout.write(`synced with ${sanitize(remote)}.\n`);
        reportProblems(problems, world);
      }
      return problems.length + failures.length > 0 ? exitCodes.withProblems : exitCodes.done;
    } catch (error) {
      noteFailure(world, "guard", String(error));
      throw error;
    }
  },
});
