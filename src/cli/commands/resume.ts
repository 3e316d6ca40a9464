import { exitCodes, UserError } from "../../errors.ts";
import { shellQuote } from "../../render/json/shell-quote.ts";
import { openSession } from "../../search/open-session.ts";
import { type Command, defineCommand } from "../command.ts";
import { namesFile, openLibrary } from "../open-library.ts";
import { printJson } from "../output/print-json.ts";
import { sanitize } from "../output/sanitize.ts";
import { runResume } from "../run-resume.ts";

export const command: Command = defineCommand({
  description:
    "Prints the command with which the session's own agent goes on with it, in the session's folder. With --exec " +
    "it runs that command.",
  examples: [
    { line: "sessions resume last", says: "how to go on with the newest session of this folder" },
    { line: "sessions resume 3f542803 --exec", says: "go on with it" },
  ],
  positionals: [
    { name: "session", description: "id, beginning of an id, last, current, or a path", many: true },
  ],
  flags: {
    exec: { type: "boolean", description: "run it" },
    everywhere: { type: "boolean", description: "with last: of all projects" },
  },
  parser: "light",
  async run({ flags, positionals }, world) {
    const { library, mask } = await openLibrary(world, {
      reveal: flags.reveal,
      allowDemo: !flags.exec && !namesFile(positionals),
    });
    const { session, resume, state } = openSession(library, positionals, { everywhere: flags.everywhere });
    if (flags.exec) {
      if (state === "stub") {
        throw new UserError(`Cannot resume session ${session.id}: its log is gone`, {
          exitCode: exitCodes.nothingFound,
        });
      }
      return runResume(resume, world);
    }
    const { command: words, folder } = mask(resume);
    const line = `${folder === null ? "" : `cd ${shellQuote([folder])} && `}${shellQuote(words)}`;
    if (flags.json) {
      const { id: sessionId, agent } = session;
      printJson(world, {
        demo: library.demo,
        sessionId,
        agent,
        command: words,
        folder,
        line,
      });
    } else world.stdout.write(`${sanitize(line)}\n`);
    return exitCodes.done;
  },
});
