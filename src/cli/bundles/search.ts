import { parseArguments } from "../arguments.ts";
import { command } from "../commands/search.ts";
import { takeProcess } from "../process-world.ts";
import { runCommand } from "../run-command.ts";
import type { Output, World } from "../world.ts";

/**
 * Runs a search, reading a few changed logs into the index before it. Everything else is left to the main bundle: many
 * logs, which are read in threads, help, queries from stdin, and whatever fails. So nothing is printed until the whole
 * answer is known.
 */
export async function run(host: NodeJS.Process): Promise<boolean> {
  const { world, finish, release } = takeProcess(host, leaveToMain);
  const printed: (() => void)[] = [];
  const hold = (output: Output): Output => ({
    write: (text) => void printed.push(() => output.write(text)),
    isTerminal: output.isTerminal,
    get columns() {
      return output.columns;
    },
    hasColor: output.hasColor,
  });
  // Progress that is shown afterwards is none.
  const stderr = { ...hold(world.stderr), isTerminal: false };
  const exitCode = await search(host.argv.slice(3), { ...world, stdout: hold(world.stdout), stderr });
  if (exitCode === undefined) {
    release();
    return false;
  }
  for (const print of printed) print();
  await finish();
  host.exitCode = exitCode;
  return true;
}

/** undefined: the main bundle has to do it. */
async function search(argv: readonly string[], world: World): Promise<number | undefined> {
  try {
    const args = parseArguments("search", command, argv);
    if (args.flags.help === true || args.flags.batch === true) return undefined;
    return await runCommand("search", command, argv, args, world);
  } catch {
    // The main bundle meets it again, and knows what to do about it.
    return undefined;
  }
}

/** Threads load the main bundle. */
function leaveToMain(): never {
  throw new Error("Many logs are read by the main bundle");
}
