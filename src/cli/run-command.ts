import { exitCodes, UserError } from "../errors.ts";
import { budgetOf, withinBudget } from "./agent-answer.ts";
import type { Command, ParsedArguments } from "./command.ts";
import { guardOutput } from "./output/sanitize.ts";
import { createStyle } from "./output/style.ts";
import { wrapMessage } from "./output/text-width.ts";
import { reportError } from "./report-error.ts";
import type { World } from "./world.ts";

/** Programs run these; `doctor` reports everything itself. */
const NOT_FOR_PEOPLE: ReadonlySet<string> = new Set(["hook", "mcp", "guard", "complete", "doctor"]);

/** Prints notes on a terminal, each of them once. */
function notesOn({ stderr }: World): (text: string) => void {
  const shown = new Set<string>();
  return (text) => {
    if (shown.has(text) || !stderr.isTerminal) return;
    shown.add(text);
    const { yellow } = createStyle(stderr.hasColor);
    stderr.write(`${wrapMessage(`${yellow("sessions:")} ${text}`, stderr.columns)}\n`);
  };
}

/** Runs one command with its parsed arguments; `argv` is what they were parsed from. Returns the exit code. */
export async function runCommand(
  name: string,
  command: Command,
  argv: readonly string[],
  args: ParsedArguments,
  world: World,
): Promise<number> {
  const printing = guarded(world, args.given.has("color") ? args.flags.color === true : undefined);
  const painted =
    args.flags.json === true || NOT_FOR_PEOPLE.has(name)
      ? printing
      : { ...printing, noteOnce: notesOn(printing) };
  if (args.flags.reveal === true && !world.stdout.isTerminal) {
    throw new UserError("Cannot reveal secrets: --reveal works only on a terminal", {
      exitCode: exitCodes.wrongUsage,
      hint: "leave out --reveal, or do not redirect the output",
    });
  }
  const budget = budgetOf(command, args, world);
  if (budget === undefined) return command.run(args, painted);
  return withinBudget(budget, name, argv, painted, (inner) => command.run(args, inner));
}

/** The same in a bundle with only this command: errors are reported, and never thrown. */
export async function runReported(...line: Parameters<typeof runCommand>): Promise<number> {
  try {
    return await runCommand(...line);
  } catch (error) {
    const [, , , { flags, given }, world] = line;
    const { redact } = await import("../redact/redact.ts");
    const painted = guarded(world, given.has("color") ? flags.color === true : undefined);
    return reportError(error, painted, flags.json === true, redact);
  }
}

/** A world whose outputs sanitize everything that commands and errors print. */
export function guarded(world: World, hasColor: boolean | undefined): World {
  return {
    ...world,
    stdout: guardOutput(world.stdout, hasColor),
    stderr: guardOutput(world.stderr, hasColor),
  };
}
