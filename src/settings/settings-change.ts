import { assertNever } from "../errors.ts";
import { appendSetting, parsedSettings, removeSetting, setSetting } from "./edit-settings.ts";
import { settingAt } from "./parse-settings.ts";
import { type PlainTable, removeTable, setTable, tableAt } from "./toml-tables.ts";

/** A program for an agent to run at an event. */
export interface HookChange {
  readonly kind: "hook";
  /** As the agent calls it: `PreCompact`. */
  readonly event: string;
  readonly matcher?: string | undefined;
  /** A program; or, if there are no `args`, a line for a shell. */
  readonly command: string;
  /** The words from `hook` on identify our hook: `hook`, `pre-compact`. */
  readonly args: readonly string[];
  readonly timeoutSeconds: number;
}

export interface ValueChange {
  readonly kind: "value";
  readonly key: string;
  readonly value: number;
  /** The command that set it: `uninstall` undoes what `install` set. */
  readonly by: "install" | "retention";
}

/** An MCP server for an agent to start. */
export interface ServerChange {
  readonly kind: "server";
  readonly format: SettingsFormat;
  /** A list for the user, or for one project; both may be in one file. */
  readonly scope: "user" | "project";
  /** Where the list of servers is. */
  readonly at: readonly string[];
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** `list`: the program and its arguments are one list, and the variables are called `environment`. */
  readonly form?: "list" | undefined;
}

export type SettingsFormat = "json" | "toml";

/** One change of ours to a settings file. */
export type SettingsChange = HookChange | ValueChange | ServerChange;

/** Two changes with the same name concern the same thing; the later replaces the earlier. */
export function changeName(change: SettingsChange): string {
  switch (change.kind) {
    case "hook":
      return `${change.event} ${hookWords(change)}`;
    case "value":
      return change.key;
    case "server":
      return [...change.at, change.name].join(".");
    default:
      return assertNever(change);
  }
}

/** Applies the change; returns the same text if it is already there. */
export function applyChange(text: string, change: SettingsChange): string {
  switch (change.kind) {
    case "value":
      return settingAt(parsedSettings(text), [change.key]) === change.value
        ? text
        : setSetting(text, [change.key], change.value);
    case "hook":
      return applyHook(text, change);
    case "server":
      return applyServer(text, change);
    default:
      return assertNever(change);
  }
}

/**
 * Removes the change. What others did since stays: a value that is no longer ours, other hooks beside ours. `original` is
 * the text before us: its value is put back, and its empty lists stay.
 */
export function undoChange(text: string, change: SettingsChange, original: string): string {
  switch (change.kind) {
    case "value":
      return undoValue(text, change, original);
    case "hook":
      return undoHook(text, change, original);
    case "server":
      return undoServer(text, change, original);
    default:
      return assertNever(change);
  }
}

function undoValue(text: string, { key, value }: ValueChange, original: string): string {
  if (settingAt(parsedSettings(text), [key]) !== value) return text;
  const before = settingAt(parsedSettings(original), [key]);
  return before === undefined ? removeSetting(text, [key]) : setSetting(text, [key], before);
}

function applyHook(text: string, change: HookChange): string {
  const { command, args, timeoutSeconds, event, matcher } = change;
  const handler = {
    type: "command",
    command,
    ...(args.length === 0 ? {} : { args }),
    timeout: timeoutSeconds,
  };
  const [present] = findHooks(text, event, hookWords(change));
  if (present !== undefined) {
    if (JSON.stringify(present.handler) === JSON.stringify(handler)) return text;
    return setSetting(text, present.path, handler);
  }
  const group = { ...(matcher === undefined ? {} : { matcher }), hooks: [handler] };
  return appendSetting(text, ["hooks", event], group);
}

function undoHook(text: string, change: HookChange, original: string): string {
  let rest = text;
  const find = (): FoundHook | undefined => findHooks(rest, change.event, hookWords(change))[0];
  for (let found = find(); found !== undefined; found = find()) {
    rest = removeSetting(rest, found.path);
    const [hooks, event, group] = found.path;
    if (isEmpty(settingAt(parsedSettings(rest), [hooks, event, group, "hooks"]))) {
      rest = removeSetting(rest, [hooks, event, group]);
    }
  }
  return rest === text ? text : withoutEmpty(rest, [["hooks", change.event], ["hooks"]], original);
}

/** Removes objects that have nothing left in them, unless they were there before us. */
function withoutEmpty(text: string, paths: readonly (readonly string[])[], original: string): string {
  const before = parsedSettings(original);
  let rest = text;
  for (const path of paths) {
    if (isEmpty(settingAt(parsedSettings(rest), path)) && settingAt(before, path) === undefined) {
      rest = removeSetting(rest, path);
    }
  }
  return rest;
}

type HookPath = readonly ["hooks", string, number, "hooks", number];

interface FoundHook {
  readonly path: HookPath;
  readonly handler: object;
}

/** Finds our entries for an event, whatever path the program had when they were written. */
export function findHooks(text: string, event: string, words: string): readonly FoundHook[] {
  const groups = settingAt(parsedSettings(text), ["hooks", event]);
  const found: FoundHook[] = [];
  for (const [group, each] of listOf(groups).entries()) {
    for (const [index, handler] of listOf(memberOf(each, "hooks")).entries()) {
      if (typeof handler === "object" && handler !== null && isOurHook(handler, words)) {
        found.push({ path: ["hooks", event, group, "hooks", index], handler });
      }
    }
  }
  return found;
}

/** The part that identifies a hook: `hook pre-compact`, whatever is before it. */
function hookWords({ command, args }: Pick<HookChange, "command" | "args">): string {
  const words = args.length === 0 ? command.split(" ") : args;
  return words.slice(words.lastIndexOf("hook")).join(" ");
}

function isOurHook(handler: object, words: string): boolean {
  const args = listOf(memberOf(handler, "args"));
  if (args.length > 0) {
    const at = args.lastIndexOf("hook");
    return at > 0 && args.slice(at).join(" ") === words && runsUs(args[at - 1]);
  }
  const command = memberOf(handler, "command");
  if (typeof command !== "string" || !command.endsWith(` ${words}`)) return false;
  return runsUs(command.slice(0, -words.length - 1).replace(/['"]$/, ""));
}

/** Whether it ends with the bundle, or with the source that it is built from. */
function runsUs(script: unknown): boolean {
  return typeof script === "string" && /[/\\](?:sessions(?:\.c?js)?|src[/\\]cli[/\\]main\.ts)$/.test(script);
}

/** A server of that name that somebody else added stays as it is. */
function applyServer(text: string, change: ServerChange): string {
  const { format, at, name } = change;
  const path = [...at, name];
  const server = serverEntry(change);
  const present = format === "json" ? settingAt(parsedSettings(text), path) : tableAt(text, path);
  if (present !== undefined && (!isOurServer(present) || isSameServer(present, server))) return text;
  return format === "json" ? setSetting(text, path, server) : setTable(text, path, server);
}

function serverEntry({ command, args, env, form }: ServerChange): PlainTable {
  const hasVariables = Object.keys(env).length > 0;
  return form === "list"
    ? { type: "local", command: [command, ...args], ...(hasVariables ? { environment: env } : {}) }
    : { command, args, ...(hasVariables ? { env } : {}) };
}

function undoServer(text: string, { format, at, name }: ServerChange, original: string): string {
  const path = [...at, name];
  if (format === "toml") return isOurServer(tableAt(text, path)) ? removeTable(text, path) : text;
  if (!isOurServer(settingAt(parsedSettings(text), path))) return text;
  const parents = at.map((_, index) => at.slice(0, at.length - index));
  return withoutEmpty(removeSetting(text, path), parents, original);
}

function isOurServer(server: unknown): boolean {
  const args = [...listOf(memberOf(server, "command")), ...listOf(memberOf(server, "args"))];
  return args.length > 1 && args.at(-1) === "mcp" && runsUs(args.at(-2));
}

/** Agents and users add their own settings to a server. */
function isSameServer(present: unknown, server: object): boolean {
  return Object.entries(server).every(
    ([key, value]) => JSON.stringify(memberOf(present, key)) === JSON.stringify(value),
  );
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function memberOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null
    ? Object.getOwnPropertyDescriptor(value, key)?.value
    : undefined;
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
