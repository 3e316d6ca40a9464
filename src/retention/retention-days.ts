import { exitCodes, UserError } from "../errors.ts";

/** The number of days that means "forever": 273 years. */
export const FOREVER_DAYS = 99_999;

/** Refuses numbers that Claude Code would not accept, with the reason. */
export function checkDays(text: string | undefined): number {
  const days = /^\d{1,6}$/.test(text ?? "") ? Number(text) : Number.NaN;
  if (days >= 1) return days;
  const reason =
    text === undefined
      ? "the number of days is missing"
      : days === 0
        ? "0 is an error to Claude Code since 2.1.89, and made older versions write no sessions at all"
        : `${JSON.stringify(text)} is not a whole number of days from 1 to 999999`;
  throw new UserError(`Cannot set the retention: ${reason}`, {
    exitCode: exitCodes.wrongUsage,
    hint: "`sessions retention forever` keeps sessions forever",
  });
}

/** Whether a period is as good as forever: a century. */
export function isForEver(days: number): boolean {
  return days >= 36_500;
}
