import { exitCodes, UserError } from "../errors.ts";
import { hintNearest } from "./arguments/hint-nearest.ts";
import type { CommandRow } from "./command-table.ts";

/** The row of a command; a name that there is not gets the nearest one as a hint. */
export function findRow(name: string, table: readonly CommandRow[]): CommandRow {
  const row = table.find((each) => each.name === name);
  if (row !== undefined) return row;
  const known = table.filter((each) => each.hidden !== true).map((each) => each.name);
  throw new UserError(`Unknown command "${name}"`, {
    exitCode: exitCodes.wrongUsage,
    hint: hintNearest(name, known, (near) => `\`sessions ${near}\``) ?? "run `sessions --help`",
  });
}
