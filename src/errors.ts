/** The program's exit codes. Users and scripts rely on them. */
export const exitCodes = {
  done: 0,
  nothingFound: 1,
  wrongUsage: 2,
  /** Done, except for some files that could not be read. */
  withProblems: 3,
  /** Refused for safety: live, held open, changed in the meantime, archive not durable. */
  refused: 4,
  /** The store or a settings file is broken or cannot be used; nothing was changed. */
  broken: 5,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The most serious first. */
const gravity: readonly ExitCode[] = [
  exitCodes.interrupted,
  exitCodes.broken,
  exitCodes.refused,
  exitCodes.wrongUsage,
  exitCodes.withProblems,
  exitCodes.nothingFound,
  exitCodes.done,
];

/** Returns the exit code of a run with several outcomes. */
export function gravest(codes: Iterable<ExitCode>): ExitCode {
  const seen = new Set(codes);
  return gravity.find((code) => seen.has(code)) ?? exitCodes.done;
}

export interface UserErrorOptions {
  /** No default: each refusal has to choose its kind. */
  readonly exitCode: ExitCode;
  /** Advice for the user: one sentence without a full stop. */
  readonly hint?: string;
  readonly cause?: unknown;
}

/**
 * A failure that the user can understand and act on. Its message is printed without a stack trace; anything else that
 * is thrown is a bug, and is printed with one.
 */
export class UserError extends Error {
  override readonly name: string = "UserError";
  readonly exitCode: ExitCode;
  readonly hint: string | undefined;

  constructor(message: string, options: UserErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.exitCode = options.exitCode;
    this.hint = options.hint;
  }
}

/** Ends a switch over a union, so that a new member is a type error. */
export function assertNever(value: never): never {
  throw new Error(`Unexpected value: ${JSON.stringify(value)}`);
}

/** A file, or one line of it, that could not be read. It is reported with the answer, and the rest of the work goes on. */
export interface Problem {
  readonly path: string;
  /** Line number from 1; 0 if it concerns the whole file. */
  readonly line: number;
  readonly what: string;
}
