import { type Command, defineCommand, dryRunFlag } from "../command.ts";
import { namesFile, openHistoryIn } from "../open-history.ts";
import { flattenFlags, runOnSessions, selectForFlattening } from "../run-on-sessions.ts";

export const command: Command = defineCommand({
  description:
    "Puts back everything that `sessions flatten` moved out of a session's log, byte for byte, and keeps the " +
    "lines that were added since. Anything missing from the sidecar is taken from the archive. The sidecar is " +
    "removed only when all of its blocks are back in the log; otherwise it stays, and the exit code is 3.",
  examples: [{ line: "sessions unflatten 3f542803", says: "restore the log as it was" }],
  positionals: [
    {
      name: "session",
      description: "id, start of an id, last, last N, current, or a path",
      many: true,
      values: "session",
    },
  ],
  flags: { "dry-run": dryRunFlag, ...flattenFlags },
  async run({ flags, positionals }, world) {
    const history = await openHistoryIn(world, {
      reveal: flags.reveal,
      allowDemo: flags["dry-run"] && !namesFile(positionals),
    });
    const sessions = await selectForFlattening(history, positionals, flags);
    return runOnSessions(world, history, sessions, flags, "unflatten", (session, how) =>
      world.uninterrupted(() => history.unflatten(session, how)),
    );
  },
});
