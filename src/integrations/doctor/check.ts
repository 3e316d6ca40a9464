/** The result of checking one part of the set-up. */
export interface Check {
  readonly name:
    | "agents"
    | "hooks"
    | "plugin"
    | "extension"
    | "server"
    | "skill"
    | "program"
    | "retention"
    | "sessions"
    | "index"
    | "archive"
    | "sidecars"
    | "modes"
    | "settings"
    | "logs"
    | "databases"
    | "background"
    | "store"
    | "leftovers";
  /** `note`: good to know, but not a problem. */
  readonly state: "ok" | "note" | "problem";
  readonly what: string;
  /** The fix: a command, or a sentence. null if nothing can or needs to be done. */
  readonly fix: string | null;
  /** Places, names and numbers, one line each. */
  readonly details: readonly string[];
}

export function ok(name: Check["name"], what: string, details: readonly string[] = []): Check {
  return { name, state: "ok", what, fix: null, details };
}

export function note(
  name: Check["name"],
  what: string,
  fix: string | null = null,
  details: readonly string[] = [],
): Check {
  return { name, state: "note", what, fix, details };
}

export function problem(
  name: Check["name"],
  what: string,
  fix: string | null,
  details: readonly string[] = [],
): Check {
  return { name, state: "problem", what, fix, details };
}

/** "1 session", "3 sessions". */
export function count(number: number, noun: string, plural: string = `${noun}s`): string {
  return `${number} ${number === 1 ? noun : plural}`;
}
