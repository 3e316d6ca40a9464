import { everywhereFlags } from "../command.ts";
import { type CommandRow, commandGroups } from "../command-table.ts";
import { createStyle } from "../output/style.ts";
import { formatTable } from "../output/table.ts";
import { wrap } from "../output/wrap.ts";
import type { Output } from "../world.ts";
import { flagLines } from "./flag-lines.ts";

/** What `sessions --help` prints: one screen, grouped. Made from the table alone, without loading a command. */
export function programHelp(table: readonly CommandRow[], output: Output): string {
  const style = createStyle(output.hasColor);
  const shown = table.filter((row) => row.hidden !== true);
  const flags = flagLines({
    ...everywhereFlags,
    version: { type: "boolean", description: "show which version this is" },
  }).map(({ term, says }) => ({ term: term.startsWith("--") ? `    ${term}` : term, says }));
  // One width for all groups, so that their summaries stand in one column.
  const nameWidth = Math.max(
    ...shown.map((row) => row.name.length),
    ...flags.map((flag) => flag.term.length),
  );
  const section = (title: string, lines: readonly { term: string; says: string }[]): string => {
    if (lines.length === 0) return "";
    const columns = [
      { text: (line: { term: string }) => `  ${line.term.padEnd(nameWidth)}`, style: style.cyan },
      { text: (line: { says: string }) => line.says, shrinkTo: 20 },
    ];
    return `${style.bold(title)}\n${formatTable(lines, columns, { width: output.columns })}`;
  };
  const groups = commandGroups.map((group) =>
    section(
      `${group}:`,
      shown.filter((row) => row.group === group).map((row) => ({ term: row.name, says: row.summary })),
    ),
  );
  const paragraph = (text: string): string => `${wrap(text, { width: output.columns ?? 80 })}\n`;
  return [
    paragraph("The history of your coding agents, searchable for ever."),
    `${style.bold("Usage:")} sessions <command> [arguments] [flags]\n`,
    ...groups,
    section("Flags:", flags),
    paragraph("`sessions <command> --help` says more and gives examples."),
  ]
    .filter((part) => part !== "")
    .join("\n");
}
