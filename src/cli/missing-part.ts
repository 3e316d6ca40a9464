import { exitCodes, UserError } from "../core/errors.ts";

/** A file of the program is not where the build put it, or is not what it put there. */
export function missingPart(file: string): UserError {
  return new UserError(`Cannot use ${JSON.stringify(file)}: it is missing, or of another version`, {
    exitCode: exitCodes.broken,
    hint: "try again; if that does not help, install the program again",
  });
}
