import type { Flag, FlagTable, Positional } from "./command.ts";

/** The usage line of a command: `sessions archive [selector…] [flags]`. */
export function usageOf(name: string, positionals: readonly Positional[]): string {
  const parts = positionals.map((positional) => {
    const words = positional.choices?.join("|") ?? positional.name;
    const text = positional.many === true ? `${words}…` : words;
    return positional.optional === true ? `[${text}]` : `<${text}>`;
  });
  return ["sessions", name, ...parts, "[flags]"].join(" ");
}

interface FlagLine {
  /** As it is typed: `-q, --quiet`, `--limit N`, `--no-refresh`. */
  readonly term: string;
  readonly says: string;
}

/** The flags of a table as help and docs show them. */
export function flagLines(table: FlagTable): readonly FlagLine[] {
  return Object.entries(table)
    .filter(([, flag]) => flag.hidden !== true)
    .map(([name, flag]) => ({
      term: `${flag.alias === undefined ? "" : `-${flag.alias}, `}--${longTerm(name, flag)}`,
      says: flagDescription(flag),
    }));
}

/** The name without dashes, with what stands for its value. */
export function longTerm(name: string, flag: Flag): string {
  if (flag.type === "boolean") return flag.default === true ? `no-${name}` : name;
  return `${name} ${flag.placeholder ?? (flag.type === "number" ? "N" : "VALUE")}`;
}

/** The description with what can be given and what holds if nothing is. */
export function flagDescription(flag: Flag): string {
  if (flag.type === "boolean") return flag.description;
  const notes: string[] = [];
  if (flag.type !== "number" && flag.choices !== undefined) notes.push(flag.choices.join(", "));
  if (flag.type !== "strings" && flag.default !== undefined) notes.push(`default ${flag.default}`);
  if (flag.type === "strings") notes.push("may be repeated");
  return notes.length === 0 ? flag.description : `${flag.description} (${notes.join("; ")})`;
}
