import { agents } from "../src/agents/agents.ts";
import { type FlagTable, flagLines, globalFlags, usageOf } from "../src/cli/command.ts";
import { type CommandRow, commandGroups, commandTable } from "../src/cli/command-table.ts";
import { exitCodeLines } from "./exit-code-lines.ts";

/** Makes man/sessions.1 from the command table. `npm run docs:cli` writes it, and a test fails if it is not up to date. */
export async function makeManPage(): Promise<string> {
  const rows = commandGroups.flatMap((group) =>
    commandTable.filter((row) => row.group === group && row.hidden !== true),
  );
  const commands = await Promise.all(rows.map(describeCommand));
  return [
    '.\\" Made by scripts/make-man.ts from the command table. Change the table, then run `npm run docs:cli`.',
    '.TH SESSIONS 1 "" "sessions" "User Commands"',
    ".SH NAME",
    "sessions \\- keep the history of coding agents: search, archive, restore and shrink their sessions",
    ".SH SYNOPSIS",
    ".B sessions",
    "[\\fIcommand\\fR] [\\fIarguments\\fR] [\\fIflags\\fR]",
    ".SH DESCRIPTION",
    ...paragraphs(
      `sessions reads the logs of coding agents (${agents.map(({ displayName }) => displayName).join(", ")}), finds ` +
        "everything that was said and done in them, archives every byte, and shrinks sessions reversibly. Alone it shows an overview.\n\n" +
        "Name a session by its id, by the first characters of one (4 or more), by last, last 3, current, or by the path of " +
        "its file.",
    ),
    ".SH GLOBAL FLAGS",
    ...flags(globalFlags),
    ".SH COMMANDS",
    ...commands.flat(),
    ".SH EXIT STATUS",
    ...exitCodeLines.flatMap(([code, says]) => [".TP", `.B ${code}`, text(says)]),
    ".SH ENVIRONMENT",
    ...variables.flatMap(([name, says]) => [".TP", `.B ${text(name)}`, text(says)]),
    ".SH FILES",
    ".TP",
    ".I ~/.sessions",
    "All that this program owns: index, archive, exact bytes, config.json.",
    "",
  ].join("\n");
}

const variables: readonly (readonly [string, string])[] = [
  ["SESSIONS_HOME", "where this program keeps what it owns, instead of ~/.sessions"],
  ...agents.flatMap(({ displayName, placeVariables }) =>
    placeVariables.map((name) => [name, `where ${displayName} keeps its sessions`] as const),
  ),
  ["NO_COLOR, FORCE_COLOR", "print without or with colours"],
];

async function describeCommand({ name, load }: CommandRow): Promise<readonly string[]> {
  const { command } = await load();
  return [
    `.SS ${text(usageOf(name, command.positionals))}`,
    ...paragraphs(command.description),
    ...command.positionals.flatMap((positional) => [
      ".TP",
      `.I ${text(positional.name)}`,
      text(positional.description),
    ]),
    ...flags(command.flags),
    ".PP",
    ".nf",
    ...command.examples.map(({ line, says }) => `${text(line)}  # ${text(says)}`),
    ".fi",
  ];
}

function flags(table: FlagTable): readonly string[] {
  return flagLines(table).flatMap(({ term, says }) => [".TP", `.B ${text(term)}`, text(says)]);
}

function paragraphs(description: string): readonly string[] {
  return description.split("\n\n").flatMap((part) => [".PP", text(part.replaceAll("\n", " "))]);
}

/** A line that begins with a dot or a quote would be an instruction. */
function text(words: string): string {
  const escaped = words.replaceAll("\\", "\\e").replaceAll("-", "\\-").replaceAll("`", "");
  return /^[.']/.test(escaped) ? `\\&${escaped}` : escaped;
}
