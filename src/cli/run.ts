import { exitCodes, UserError } from "../errors.ts";
import { hintNearest } from "./arguments/hint-nearest.ts";
import { parseArguments } from "./arguments/parse-arguments.ts";
import { globalFlags } from "./command.ts";
import { type CommandRow, commandTable, defaultCommand } from "./command-table.ts";
import { findRow } from "./find-row.ts";
import { reportError } from "./report-error.ts";
import { guarded, runCommand } from "./run-command.ts";
import type { World } from "./world.ts";

/** Runs one command line in a world and gives its exit code. Never throws, never exits. */
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

/** Is this the line of a command that must not fail, whatever is wrong with it? */
export function neverFails(argv: readonly string[], table: readonly CommandRow[]): boolean {
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
  // Help is given whatever else is wrong with the line.
  if (flagsOf(rest).some((arg) => arg === "--help" || arg === "-h")) return showHelp(name, world, table);
  return runRow(findRow(name ?? defaultCommand, table), rest, world);
}

async function runRow(row: CommandRow, argv: readonly string[], world: World): Promise<number> {
  const { command } = await row.load();
  const args = await parseArguments(row.name, command, argv);
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

/** The command is the first word; flags of every command may stand before it. */
function splitCommand(argv: readonly string[]): { name: string | undefined; rest: readonly string[] } {
  const at = argv.findIndex((arg) => !arg.startsWith("-"));
  const before = at < 0 ? argv : argv.slice(0, at);
  const known = [...Object.keys(globalFlags), "version"].flatMap((name) => [`--${name}`, `--no-${name}`]);
  const stranger = before.find((arg) => arg !== "-h" && !known.includes(arg));
  if (stranger !== undefined) {
    throw new UserError(`Unknown flag ${stranger}`, {
      exitCode: exitCodes.wrongUsage,
      hint:
        hintNearest(stranger, known, (near) => near) ??
        "flags of a command stand behind it: `sessions --help`",
    });
  }
  return { name: argv[at], rest: [...before, ...(at < 0 ? [] : argv.slice(at + 1))] };
}

/** What stands before `--`. */
function flagsOf(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf("--");
  return end < 0 ? argv : argv.slice(0, end);
}

function colorFlag(argv: readonly string[]): boolean | undefined {
  const last = flagsOf(argv).findLast((arg) => arg === "--color" || arg === "--no-color");
  return last === undefined ? undefined : last === "--color";
}
