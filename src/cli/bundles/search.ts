import { parseArguments } from "../arguments.ts";
import { command } from "../commands/search.ts";
import { takeProcess } from "../process-world.ts";
import { runCommand } from "../run-command.ts";
import type { Output, World } from "../world.ts";

/**
 * Runs a search, after reading a few changed logs into the index. Everything else is left to the main bundle: many changed
 * logs, which need threads, help, queries from stdin, and errors. So nothing is printed before the answer is complete.
 */
export async function runProcess(host: NodeJS.Process): Promise<boolean> {
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
  // Progress shown afterwards would be useless.
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
    const { help, batch, interactive } = args.flags;
    if (help === true || batch === true || interactive === true) return undefined;
    return await runCommand("search", command, argv, args, world);
  } catch {
    // The main bundle will run into the same error and report it.
    return undefined;
  }
}

/** Threads run the main bundle. */
function leaveToMain(): never {
  throw new Error("The main bundle has to read many logs");
}
