import { exitCodes, UserError } from "../errors.ts";
import { ArchiveDamage } from "../fs/damage.ts";
import { diskError } from "../fs/disk-error.ts";
import { printJson } from "./output/print-json.ts";
import { sanitize } from "./output/sanitize.ts";
import { createStyle } from "./output/style.ts";
import type { World } from "./world.ts";

/** Not one of the codes that say what happened: a failure of the program itself (EX_SOFTWARE). */
export const BUG_EXIT_CODE = 70;

type ReportWorld = Pick<World, "stdout" | "stderr" | "variables">;

/**
 * Tells people what went wrong, and programs too where they asked for JSON, and gives the exit code. An error
 * that is none of ours is a bug; its stack is for those who look into it.
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
  if (error instanceof UserError) {
    const message = sanitize(mask(error.message), "lines");
    const hint = error.hint === undefined ? undefined : mask(error.hint);
    say(`${style.red("sessions:")} ${message}`);
    if (hint !== undefined) say(`${style.dim("hint:")} ${sanitize(hint, "lines")}`);
    if (json) printJson(world, { error: { message, hint: hint ?? null, exitCode: error.exitCode } });
    return error.exitCode;
  }
  const message = sanitize(
    mask(error instanceof Error ? `${error.name}: ${error.message}` : String(error)),
    "lines",
  );
  const hint = "this is a bug; with SESSIONS_DEBUG=1 it says where it happened";
  say(`${style.red("sessions:")} ${message}`);
  if (isDebugging(world) && error instanceof Error) say(sanitize(mask(error.stack ?? ""), "lines"));
  else say(`${style.dim("hint:")} ${hint}`);
  if (json) printJson(world, { error: { message, hint, exitCode: BUG_EXIT_CODE } });
  return BUG_EXIT_CODE;
}

function isDebugging({ variables }: Pick<World, "variables">): boolean {
  return Boolean(variables.SESSIONS_DEBUG) || Boolean(variables.DEBUG);
}

/** A full disk, a missing permission or damaged bytes are circumstances, no bugs, also where nobody foresaw them. */
function fromSystem(thrown: unknown): unknown {
  if (thrown instanceof ArchiveDamage) {
    return new UserError(thrown.message, {
      exitCode: exitCodes.broken,
      cause: thrown,
      hint: "`sessions verify` says what is damaged; `sessions archive --check` mends what it can",
    });
  }
  const call = thrown instanceof Error && "syscall" in thrown ? String(thrown.syscall) : "";
  const isNamed = thrown instanceof Error && "path" in thrown;
  return diskError(VERBS[call] ?? (isNamed ? "use" : "go on"), undefined, thrown);
}

/** What the system calls do, as a user would say it. */
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
