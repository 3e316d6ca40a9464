import { exitCodes, FLATTEN_MIN_BYTES, UserError } from "../../index.ts";
import { type Command, defineCommand, dryRunFlag } from "../command.ts";
import { namesFile, openHistoryIn } from "../open-history.ts";
import { flattenFlags, runOnSessions, selectForFlattening } from "../run-on-sessions.ts";
import { checkWhenIdle, loggedIfWaiting, startWhenIdle, whenIdleFlags } from "../when-idle.ts";

export const command: Command = defineCommand({
  description:
    "Moves large tool results (long output, screenshots) out of a session's log into a sidecar, and leaves a " +
    "short marker in their place. Every prompt and every event stays, and the session resumes with far fewer " +
    "tokens. `sessions retrieve` prints one result, `sessions unflatten` puts all of them back, byte for " +
    "byte.\n\n" +
    "Works for sessions of Claude Code and Pi. The log is archived first. A running session is not changed: " +
    "--fork writes the flattened one as a new session, --when-idle waits for its end.",
  examples: [
    { line: "sessions flatten last --dry-run", says: "show what it would save" },
    { line: "sessions flatten 3f542803 --min-size 4096", says: "only results larger than 4 KB" },
    { line: "sessions flatten last 3", says: "the three newest sessions of this folder" },
  ],
  positionals: [
    {
      name: "session",
      description: "id, start of an id, last, last N, current, or a path",
      many: true,
      values: "session",
    },
  ],
  flags: {
    "min-size": {
      type: "number",
      default: FLATTEN_MIN_BYTES,
      placeholder: "BYTES",
      description: "only results larger than this",
    },
    "tool-use-result": {
      type: "boolean",
      default: true,
      description: "leave the copies that the agent keeps for its own display",
    },
    fork: {
      type: "boolean",
      description: "write the flattened one as a new session, and leave this one unchanged",
    },
    "dry-run": dryRunFlag,
    ...flattenFlags,
    ...whenIdleFlags,
  },
  async run({ flags, positionals }, world) {
    checkWhenIdle(flags);
    const history = await openHistoryIn(world, {
      reveal: flags.reveal,
      allowDemo: flags["dry-run"] && !namesFile(positionals),
    });
    const sessions = await selectForFlattening(history, positionals, flags);
    if (flags["when-idle"]) {
      const [session, other] = sessions;
      if (session === undefined || other !== undefined) {
        throw new UserError("Cannot wait for several sessions: --when-idle takes one session", {
          exitCode: exitCodes.wrongUsage,
        });
      }
      const args = [
        "--min-size",
        String(flags["min-size"]),
        ...(flags.bak ? ["--bak"] : []),
        ...(flags["tool-use-result"] ? [] : ["--no-tool-use-result"]),
      ];
      return startWhenIdle(world, "flatten", session, args, flags.json);
    }
    return runOnSessions(world, history, sessions, flags, "flatten", (session, how) =>
      loggedIfWaiting(world, history, flags["wait-idle"], (waitUntilIdle) =>
        history.flatten(session, {
          ...how,
          minBytes: flags["min-size"],
          copies: flags["tool-use-result"],
          fork: flags.fork,
          waitUntilIdle,
        }),
      ),
    );
  },
});
