import { exitCodes, UserError } from "../errors.ts";
import { hintNearest, parseArguments } from "./arguments.ts";
import { globalFlags } from "./command.ts";
import { type CommandRow, commandTable, defaultCommand, findRow } from "./command-table.ts";
import { takeProcess } from "./process-world.ts";
import { reportError } from "./report-error.ts";
import { guarded, runCommand } from "./run-command.ts";
import { isWorker, runWorker, startWorker } from "./worker-threads.ts";
import type { World } from "./world.ts";

/** Runs the command line of a process, or the task of one of its threads. */
export async function start(
  host: NodeJS.Process,
  table: readonly CommandRow[] = commandTable,
): Promise<void> {
  if (isWorker(host)) return runWorker(host);
  const argv = host.argv.slice(2);
  const startThread = startWorker(import.meta.filename, host);
  const isHook = neverFails(argv, table);
  const { world, finish } = takeProcess(host, startThread, isHook);
  const exitCode = await run(argv, world, table);
  await finish();
  // Not process.exit: it would cut off output that is still being written to a pipe. But Deno, which writes at once, does
  // not end while its stdin is open, and the agent that calls a hook may leave it open.
  if (isHook && host.versions.deno !== undefined) host.exit(exitCode);
  host.exitCode = exitCode;
}

/** Runs one command line in a world and returns its exit code. Never throws, never exits. */
export async function run(
  argv: readonly string[],
  world: World,
  table: readonly CommandRow[] = commandTable,
): Promise<number> {
  try {
    return await runLine(argv, world, table);
  } catch (error) {
    const mustNotFail = neverFails(argv, table);
    const json = flagsOf(argv).includes("--json") && !mustNotFail;
    const { redact } = await import("../redact/redact.ts");
    const exitCode = reportError(error, guarded(world, colorFlag(argv)), json, redact);
    return mustNotFail ? exitCodes.done : exitCode;
  }
}

/** Whether the line runs a command that must not fail, whatever is wrong with it. */
function neverFails(argv: readonly string[], table: readonly CommandRow[]): boolean {
  const name = argv.find((arg) => !arg.startsWith("-"));
  return table.some((row) => row.name === name && row.neverFails === true);
}

async function runLine(argv: readonly string[], world: World, table: readonly CommandRow[]): Promise<number> {
  const { name, rest } = splitCommand(argv);
  if (name === undefined && flagsOf(argv).includes("--version")) {
    return runRow(
      findRow("version", table),
      rest.filter((arg) => arg !== "--version"),
      world,
    );
  }
  // Help is shown whatever else is wrong with the line.
  if (flagsOf(rest).some((arg) => arg === "--help" || arg === "-h")) return showHelp(name, world, table);
  return runRow(findRow(name ?? defaultCommand, table, rest[0]), rest, world);
}

async function runRow(row: CommandRow, argv: readonly string[], world: World): Promise<number> {
  const { command } = await row.load();
  const args = parseArguments(row.name, command, argv);
  if (args.flags.help === true) return showHelp(row.name, world, [row]);
  return runCommand(row.name, command, argv, args, world);
}

async function showHelp(
  name: string | undefined,
  world: World,
  table: readonly CommandRow[],
): Promise<number> {
  if (name === undefined) {
    const { programHelp } = await import("./help.ts");
    world.stdout.write(programHelp(table, world.stdout));
  } else {
    const row = findRow(name, table);
    const { commandHelp } = await import("./help.ts");
    world.stdout.write(await commandHelp(row, world.stdout));
  }
  return exitCodes.done;
}

/** Splits off the command: the first word. Only global flags may come before it. */
function splitCommand(argv: readonly string[]): { name: string | undefined; rest: readonly string[] } {
  const at = argv.findIndex((arg) => !arg.startsWith("-"));
  const before = at < 0 ? argv : argv.slice(0, at);
  const known = [...Object.keys(globalFlags), "version"].flatMap((name) => [`--${name}`, `--no-${name}`]);
  const unknown = before.find((arg) => arg !== "-h" && !known.includes(arg));
  if (unknown !== undefined) {
    throw new UserError(`Unknown flag ${unknown}`, {
      exitCode: exitCodes.wrongUsage,
      hint:
        hintNearest(unknown, known, (near) => near) ?? "flags of a command come after it: `sessions --help`",
    });
  }
  return { name: argv[at], rest: [...before, ...(at < 0 ? [] : argv.slice(at + 1))] };
}

/** The arguments before `--`. */
function flagsOf(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf("--");
  return end < 0 ? argv : argv.slice(0, end);
}

function colorFlag(argv: readonly string[]): boolean | undefined {
  const last = flagsOf(argv).findLast((arg) => arg === "--color" || arg === "--no-color");
  return last === undefined ? undefined : last === "--color";
}
