import { exitCodes, UserError } from "../errors.ts";
import type { ArchiveDamage } from "../fs/damage.ts";
import { diskError } from "../fs/disk-error.ts";
import { printJson } from "./output/print-json.ts";
import { sanitize } from "./output/sanitize.ts";
import { createStyle } from "./output/style.ts";
import { wrapMessage } from "./output/text-width.ts";
import type { World } from "./world.ts";

/** A failure of the program itself (EX_SOFTWARE in sysexits.h). */
export const BUG_EXIT_CODE = 70;

type ReportWorld = Pick<World, "stdout" | "stderr" | "variables">;

/**
 * Prints an error, also as JSON if `json` is set, and returns the exit code. Anything but a UserError is a bug; its
 * stack is printed on request.
 */
export function reportError(
  thrown: unknown,
  world: ReportWorld,
  json: boolean,
  mask: (text: string) => string = (text) => text,
): number {
  const error = fromSystem(thrown);
  const style = createStyle(world.stderr.hasColor);
  const say = (text: string): void => world.stderr.write(`${text}\n`);
  const wrapped = (text: string): string => wrapMessage(text, world.stderr.columns);
  if (isNamed<UserError>(error, "UserError")) {
    const message = sanitize(cutLong(mask(error.message)), "lines");
    const hint = error.hint === undefined ? undefined : cutLong(mask(error.hint));
    say(wrapped(`sessions: ${message}`).replace("sessions:", style.red));
    if (hint !== undefined) say(wrapped(`hint: ${sanitize(hint, "lines")}`).replace("hint:", style.dim));
    if (json) printJson(world, { error: { message, hint: hint ?? null, exitCode: error.exitCode } });
    return error.exitCode;
  }
  const message = sanitize(
    mask(error instanceof Error ? `${error.name}: ${error.message}` : String(error)),
    "lines",
  );
  const hint = "this is a bug; SESSIONS_DEBUG=1 shows where it happened";
  say(`${style.red("sessions:")} ${message}`);
  if (isDebugging(world) && error instanceof Error) say(sanitize(mask(error.stack ?? ""), "lines"));
  else say(`${style.dim("hint:")} ${hint}`);
  if (json) printJson(world, { error: { message, hint, exitCode: BUG_EXIT_CODE } });
  return BUG_EXIT_CODE;
}

/** Paths are shorter. */
const MAX_WORD = 1_000;
const SHOWN_OF_WORD = 100;

/** Cuts what was typed if it is very long: a text that was pasted by mistake. */
function cutLong(text: string): string {
  if (text.length <= MAX_WORD) return text;
  const start = (word: string): string => word.slice(0, SHOWN_OF_WORD);
  return text.replace(/"([^"\n]*)"|\S+/g, (word) =>
    word.length <= MAX_WORD ? word : `${start(word)}…${word.startsWith('"') ? '"' : ""}`,
  );
}

function isDebugging({ variables }: Pick<World, "variables">): boolean {
  return Boolean(variables.SESSIONS_DEBUG) || Boolean(variables.DEBUG);
}

/** Turns a full disk, a missing permission or damaged bytes into a UserError: they are not bugs. */
function fromSystem(thrown: unknown): unknown {
  if (isNamed<ArchiveDamage>(thrown, "ArchiveDamage")) {
    return new UserError(thrown.message, {
      exitCode: exitCodes.broken,
      cause: thrown,
      hint: "`sessions verify` shows what is damaged; `sessions archive --check` repairs what it can",
    });
  }
  const call = thrown instanceof Error && "syscall" in thrown ? String(thrown.syscall) : "";
  const hasPath = thrown instanceof Error && "path" in thrown;
  return diskError(VERBS[call] ?? (hasPath ? "use" : "go on"), undefined, thrown);
}

/** An error of another bundle is recognized by its name: each bundle has its own copy of the class. */
function isNamed<T extends Error>(error: unknown, name: T["name"]): error is T {
  return error instanceof Error && error.name === name;
}

/** System calls in a user's words. */
const VERBS: Readonly<Record<string, string>> = {
  open: "open",
  read: "read",
  write: "write",
  fsync: "write",
  close: "write",
  stat: "look at",
  lstat: "look at",
  fstat: "look at",
  scandir: "read the folder",
  realpath: "look at",
  readlink: "read the link",
  mkdir: "make the folder",
  rename: "rename",
  unlink: "remove",
  rmdir: "remove",
  link: "write",
  chmod: "change the mode of",
  chown: "change the owner of",
  utime: "set the time of",
};
