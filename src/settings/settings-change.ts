import { assertNever } from "../errors.ts";
import { appendSetting, removeSetting, setSetting } from "./edit-settings.ts";
import { type ParsedSettings, parseSettings, settingAt } from "./parse-settings.ts";

/** A program for Claude Code to run at an event. */
export interface HookChange {
  readonly kind: "hook";
  /** As Claude Code calls it: `PreCompact`. */
  readonly event: string;
  readonly matcher?: string | undefined;
  readonly command: string;
  /** The last two words identify our hook: `hook`, `pre-compact`. */
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

/** One change of ours to a settings file. */
export type SettingsChange = HookChange | ValueChange;

/** Two changes with the same name concern the same thing; the later replaces the earlier. */
export function changeName(change: SettingsChange): string {
  return change.kind === "hook" ? `${change.event} ${change.args.slice(-2).join(" ")}` : change.key;
}

/** Applies the change; returns the same text if it is already there. */
export function applyChange(text: string, change: SettingsChange): string {
  switch (change.kind) {
    case "value":
      return settingAt(parsed(text), [change.key]) === change.value
        ? text
        : setSetting(text, [change.key], change.value);
    case "hook":
      return applyHook(text, change);
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
    default:
      return assertNever(change);
  }
}

function undoValue(text: string, { key, value }: ValueChange, original: string): string {
  if (settingAt(parsed(text), [key]) !== value) return text;
  const before = settingAt(parsed(original), [key]);
  return before === undefined ? removeSetting(text, [key]) : setSetting(text, [key], before);
}

function applyHook(text: string, change: HookChange): string {
  const handler = {
    type: "command",
    command: change.command,
    args: change.args,
    timeout: change.timeoutSeconds,
  };
  const [present] = findHooks(text, change);
  if (present !== undefined) {
    if (JSON.stringify(present.handler) === JSON.stringify(handler)) return text;
    return setSetting(text, present.path, handler);
  }
  const group = { ...(change.matcher === undefined ? {} : { matcher: change.matcher }), hooks: [handler] };
  return appendSetting(text, ["hooks", change.event], group);
}

function undoHook(text: string, change: HookChange, original: string): string {
  let rest = text;
  const before = parsed(original);
  for (let [found] = findHooks(rest, change); found !== undefined; [found] = findHooks(rest, change)) {
    rest = removeSetting(rest, found.path);
    const [hooks, event, group] = found.path;
    if (isEmpty(settingAt(parsed(rest), [hooks, event, group, "hooks"]))) {
      rest = removeSetting(rest, [hooks, event, group]);
    }
  }
  if (rest === text) return text;
  for (const path of [["hooks", change.event], ["hooks"]]) {
    if (isEmpty(settingAt(parsed(rest), path)) && settingAt(before, path) === undefined) {
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
export function findHooks(
  text: string,
  { event, args }: Pick<HookChange, "event" | "args">,
): readonly FoundHook[] {
  const groups = settingAt(parsed(text), ["hooks", event]);
  const wanted = args.slice(-2);
  const found: FoundHook[] = [];
  for (const [group, each] of listOf(groups).entries()) {
    for (const [index, handler] of listOf(memberOf(each, "hooks")).entries()) {
      const own = listOf(memberOf(handler, "args"));
      const isOurs =
        own.length > 2 && own.at(-2) === wanted[0] && own.at(-1) === wanted[1] && runsUs(own.at(-3));
      if (isOurs && typeof handler === "object" && handler !== null) {
        found.push({ path: ["hooks", event, group, "hooks", index], handler });
      }
    }
  }
  return found;
}

/** Matches the bundle, or the source that it is built from. */
function runsUs(script: unknown): boolean {
  return typeof script === "string" && /[/\\](?:sessions(?:\.c?js)?|src[/\\]cli[/\\]main\.ts)$/.test(script);
}

function parsed(text: string): ParsedSettings {
  const result = parseSettings(text);
  if (result.kind === "parsed") return result;
  throw new Error(`Settings were not checked: ${result.line}:${result.column}: ${result.what}`);
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
