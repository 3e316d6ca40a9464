import { exitCodes, type ResumeCommand, UserError } from "../../index.ts";
import { shellQuote } from "../../render/words.ts";
import { type Command, defineCommand, sessionPositional } from "../command.ts";
import { noteCopies } from "../note-copies.ts";
import { namesFile, openHistoryIn } from "../open-history.ts";
import { printJson } from "../output/print-json.ts";
import { sanitize } from "../output/sanitize.ts";
import { NOT_ARCHIVED, restoreCommand } from "../output/session-table.ts";
import type { World } from "../world.ts";

export const command: Command = defineCommand({
  description:
    "Prints the command that resumes a session with its own agent, in the session's folder. --exec runs it.",
  examples: [
    { line: "sessions resume last", says: "how to resume the newest session of this folder" },
    { line: "sessions resume 3f542803 --exec", says: "resume it now" },
  ],
  positionals: [sessionPositional],
  flags: {
    exec: { type: "boolean", description: "run the command" },
    everywhere: { type: "boolean", description: "with last: in all projects" },
  },
  async run({ flags, positionals }, world) {
    const history = await openHistoryIn(world, {
      reveal: flags.reveal,
      allowDemo: !flags.exec && !namesFile(positionals),
    });
    const found = await history.resume(positionals, { everywhere: flags.everywhere });
    const { id, agent, resume, state } = found;
    noteCopies(found, positionals, world);
    if (state === "stub") {
      throw new UserError(`Cannot resume session ${id}: ${NOT_ARCHIVED}`, {
        exitCode: exitCodes.nothingFound,
        hint: `\`sessions show ${id}\` shows what is known of it`,
      });
    }
    const restore = restoreCommand(found);
    if (flags.exec) {
      if (state === "kept") {
        throw new UserError(`Cannot resume session ${id}: its log is gone`, {
          exitCode: exitCodes.nothingFound,
          hint: `first: \`${restore}\``,
        });
      }
      return runResume(resume, world);
    }
    if (state === "kept") world.stderr.write(`its log is gone; first: ${restore}\n`);
    const { command: words, folder } = history.mask(resume);
    const line = resumeLine({ command: words, folder });
    if (flags.json) {
      printJson(world, {
        demo: history.demo,
        sessionId: id,
        agent,
        command: words,
        folder,
        line,
        otherCopies: found.others,
      });
    } else world.stdout.write(`${sanitize(line)}\n`);
    return exitCodes.done;
  },
});

/** Runs an agent's own resume command in the session's folder and returns its exit code. */
export async function runResume(
  { command: words, folder }: ResumeCommand,
  world: World,
  done = "",
): Promise<number> {
  const [program = "", ...args] = words;
  // A log may name any folder, even an impossible one.
  const canBe = folder === null || !folder.includes("\0");
  const code = canBe ? await world.run(program, args, folder === null ? {} : { folder }) : undefined;
  if (code !== undefined) return code;
  const isThere = folder === null || world.disk.stat(folder)?.kind === "folder";
  const what = isThere
    ? "there is no such program"
    : `there is no folder ${JSON.stringify(folder)} to run it in`;
  throw new UserError(`Cannot run ${program}: ${what}`, {
    exitCode: exitCodes.wrongUsage,
    hint: `${done}the command is: ${shellQuote(words)}`,
  });
}

/** The resume command as a line for a shell. */
export function resumeLine({ command: words, folder }: ResumeCommand): string {
  return `${folder === null ? "" : `cd ${shellQuote([folder])} && `}${shellQuote(words)}`;
}
