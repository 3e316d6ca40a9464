import { exitCodes } from "../../index.ts";
import type { Check } from "../../integrations/doctor/check.ts";
import { type Examination, examine, examineUnusable } from "../../integrations/doctor/examine.ts";
import { packageOf } from "../../integrations/install-files.ts";
import { type Command, defineCommand } from "../command.ts";
import { openHistoryIn } from "../open-history.ts";
import { amountOf, formatBytes } from "../output/amounts.ts";
import { printJson } from "../output/print-json.ts";
import { problemLines } from "../output/problems.ts";
import { sanitize } from "../output/sanitize.ts";
import { createStyle } from "../output/style.ts";
import { wrapMessage } from "../output/text-width.ts";
import type { World } from "../world.ts";

export const command: Command = defineCommand({
  description:
    "Checks the set-up and shows how to fix each problem: which agents are here, whether the hooks are " +
    "installed and work (each one gets a test event), what Claude Code will delete, what is not archived, the " +
    "state of index and archive, whether flattened sessions can be restored, who can read the store, lines of " +
    "logs that can't be read, and disk use.\n\n" +
    "The exit code is 0 if all is well, 3 if there are problems, and 5 if this program can't use the store.",
  examples: [
    { line: "sessions doctor", says: "check everything" },
    { line: "sessions doctor --json", says: "for programs" },
  ],
  positionals: [],
  flags: {},
  async run({ flags }, world) {
    const unusable = examineUnusable(world, flags.reveal);
    if (unusable !== undefined) {
      print(unusable, flags.json, world);
      return exitCodes.broken;
    }
    const { library, mask, access } = await openHistoryIn(world, { reveal: flags.reveal, allowDemo: false });
    const found = mask(
      await examine(library, {
        access,
        pack: packageOf(world),
        managedFolder: world.managedFolder,
        run: (program, args, options) => world.run(program, args, { ...options, quiet: true }),
      }),
    );
    print(found, flags.json, world);
    return isWell(found) ? exitCodes.done : exitCodes.withProblems;
  },
});

function isWell({ checks }: Examination): boolean {
  return checks.every(({ state }) => state !== "problem");
}

function print(found: Examination, json: boolean, world: World): void {
  if (json) {
    const { checks, agents, problems, disk } = found;
    printJson(world, { ok: isWell(found), checks, agents, problems, diskUse: disk });
  } else {
    world.stdout.write(format(found, world));
  }
}

const FIX = "fix: ";
/** Narrower terminals show the name of a check above its result. */
const MIN_COLUMNS = 70;

function format({ checks, disk, problems }: Examination, world: World): string {
  const style = createStyle(world.stdout.hasColor);
  const marks = { ok: style.green("ok  "), note: style.cyan("note"), problem: style.red("bad ") };
  const width = Math.max(...checks.map(({ name }) => name.length));
  const short = (text: string): string => sanitize(text.replaceAll(`${world.home}/`, "~/"));
  // A shell does not read ~ within quotes.
  const shortCommand = (text: string): string => sanitize(text.replaceAll(` ${world.home}/`, " ~/"));
  const { columns } = world.stdout;
  // A command must stay whole for copying: on a narrow terminal it starts further left.
  const isNarrow = columns !== undefined && columns < MIN_COLUMNS;
  const margin = " ".repeat(isNarrow ? 6 : width + 8);
  const wrapped = (text: string): string => wrapMessage(text, columns, margin);
  const head = (mark: string, name: string): string =>
    isNarrow ? `${mark}  ${style.bold(name)}\n${margin}` : `${mark}  ${style.bold(name.padEnd(width))}  `;
  // The JSON has them in a list of its own.
  const unread = problemLines(problems, { dim: String, yellow: String });
  const lines = checks.flatMap(({ name, state, what, fix, details }: Check) => [
    `${head(marks[state], name)}${wrapped(short(what))}`,
    ...(name === "logs" && state !== "ok" ? unread : details).map(
      (detail) => `${margin}${style.dim(wrapped(short(detail)))}`,
    ),
    ...(fix === null
      ? []
      : [`${margin}${style.dim(FIX)}${style.cyan(wrapped(FIX + shortCommand(fix)).slice(FIX.length))}`]),
  ]);
  if (disk !== null) {
    const use = [
      `logs ${formatBytes(disk.logs)}`,
      `exact bytes ${formatBytes(disk.raw)}`,
      `readable copies ${formatBytes(disk.archive)}`,
      `index ${formatBytes(disk.index)}`,
      `other ${formatBytes(disk.other)}`,
    ];
    lines.push(`${head(marks.note, "disk")}${wrapped(use.join(", "))}`);
  }
  const bad = checks.filter(({ state }) => state === "problem").length;
  lines.push("", bad === 0 ? style.green("No problems.") : style.red(`${amountOf(bad, "problem")}.`));
  return lines.map((line) => `${line}\n`).join("");
}
