import { exitCodes, UserError } from "../core/errors.ts";

/** A file of the program is not where the build put it. */
export function missingPart(file: string): UserError {
  return new UserError(`Cannot find ${JSON.stringify(file)}: a part of the program is missing`, {
    exitCode: exitCodes.broken,
    hint: "install it again",
  });
}
