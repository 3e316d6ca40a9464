import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The agents that there are logs of in the fixtures. */
export type FixtureAgent = "claude" | "pi" | "claw" | "codex" | "gemini" | "qwen" | "copilot";

/** A value of a log: on which line, and through which keys. */
export interface ValuePlace {
  readonly line: number;
  readonly keys: readonly (string | number)[];
}

/** One change of a log. */
export interface Poison {
  readonly place: ValuePlace;
  /** The JSON that stands there instead. */
  readonly json: string;
  /** Put in beside what is there, under this key, instead of in its place. */
  readonly key?: string;
}

/** Whole logs of an agent, from which poisoned ones are made. */
export function soundLogs(agent: FixtureAgent): readonly string[] {
  const root = fileURLToPath(new URL(`../../../fixtures/${agent}/ok/`, import.meta.url));
  return readdirSync(root)
    .filter((name) => !name.endsWith(".expected.json"))
    .map((name) => readFileSync(root + name, "utf8"));
}

/** Every value of a log that is not inside of another one's list of more than three. */
export function placesIn(log: string): readonly ValuePlace[] {
  const places: ValuePlace[] = [];
  for (const [line, text] of linesOf(log).entries()) {
    const visit = (value: unknown, keys: readonly (string | number)[]): void => {
      places.push({ line, keys });
      if (Array.isArray(value))
        for (const [index, each] of value.slice(0, 3).entries()) visit(each, [...keys, index]);
      else if (typeof value === "object" && value !== null)
        for (const [key, each] of Object.entries(value)) visit(each, [...keys, key]);
    };
    if (text !== "") visit(JSON.parse(text), []);
  }
  return places;
}

/** Puts hostile JSON at places of a log. */
export function poisonLog(log: string, poisons: readonly Poison[]): string {
  const lines = linesOf(log);
  const poisoned = lines.map((text, line) => {
    const here = poisons.filter(({ place }) => place.line === line);
    if (text === "" || here.length === 0) return text;
    const root: { value: unknown } = { value: JSON.parse(text) };
    const holders = here.map((poison, number) => ({ ...poison, holder: `@poison ${number}@` }));
    for (const { place, holder, key } of holders) put(root, ["value", ...place.keys], holder, key);
    return holders.reduce(
      (json, { holder, json: with_ }) => json.replaceAll(JSON.stringify(holder), () => with_),
      JSON.stringify(root.value) ?? "",
    );
  });
  return poisoned.join("\n");
}

/** Whole-file logs stand on one line or on many; both are one value then. */
function linesOf(log: string): readonly string[] {
  const lines = log.split("\n");
  try {
    for (const line of lines) if (line !== "") JSON.parse(line);
    return lines;
  } catch {
    return [JSON.stringify(JSON.parse(log))];
  }
}

function put(
  root: object,
  keys: readonly (string | number)[],
  holder: string,
  key: string | undefined,
): void {
  let around: object = root;
  const last = keys.at(-1);
  for (const each of keys.slice(0, -1)) {
    const inner: unknown = Reflect.get(around, each);
    // An earlier poison has replaced what was around it.
    if (typeof inner !== "object" || inner === null) return;
    around = inner;
  }
  const value: unknown = last === undefined ? undefined : Reflect.get(around, last);
  if (key !== undefined && typeof value === "object" && value !== null && !Array.isArray(value))
    Object.defineProperty(value, key, { value: holder, enumerable: true, configurable: true });
  else if (last !== undefined) Reflect.set(around, last, holder);
}
