import { exitCodes } from "../../errors.ts";
import { createLibrary } from "../../fs/library.ts";
import { findPlaces } from "../../fs/places.ts";
import { guardSessions } from "../../retention/guard.ts";
import { noteHookFailure } from "../../retention/hook-log.ts";
import { type Command, defineCommand } from "../command.ts";
import { createMask } from "../create-mask.ts";
import { markdownWriter } from "../markdown-writer.ts";
import { indexAccess } from "../open-library.ts";
import { countOf } from "../output/amounts.ts";
import { printJson } from "../output/print-json.ts";
import { reportProblems } from "../output/problems.ts";
import { pause, storeLocking } from "../store-locking.ts";

/** In the background there is time to wait for the store. */
const LOCK_MS = 10 * 60_000;
/** The same damaged files would fill the log. */
const MAX_NOTED = 5;

export const command: Command = defineCommand({
  description:
    "Archives every session that is not archived yet and has been quiet for ten minutes, and updates the " +
    "index. Other commands start it in the background, at most once a minute. Its errors are written to a log " +
    "that `sessions doctor` shows.",
  examples: [{ line: "sessions guard", says: "archive sessions that are not archived yet" }],
  positionals: [],
  flags: {
    log: {
      type: "string",
      placeholder: "FILE",
      description: "the log of a session to archive first, even if it is in use",
    },
  },
  async run({ flags }, world) {
    const places = findPlaces(world);
    try {
      const library = await createLibrary(world);
      const { archived, problems: found } = await guardSessions(library, {
        ...(flags.log === undefined ? {} : { log: flags.log }),
        markdown: markdownWriter(library),
        access: indexAccess(library, world),
        locking: { ...storeLocking(world), timeoutMs: LOCK_MS },
        pause,
      });
      const problems = createMask(library.config)(found);
      for (const { path, line, what } of problems.slice(0, MAX_NOTED)) {
        noteHookFailure(library, { at: world.now(), event: "guard", what: `${path}:${line}: ${what}` });
      }
      if (flags.json) printJson(world, { archived, problems });
      else {
        world.stdout.write(`${countOf(archived, "session")} archived.\n`);
        reportProblems(problems, world);
      }
      return problems.length > 0 ? exitCodes.withProblems : exitCodes.done;
    } catch (error) {
      noteHookFailure({ disk: world.disk, places }, { at: world.now(), event: "guard", what: String(error) });
      throw error;
    }
  },
});
