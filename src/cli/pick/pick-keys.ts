import type { EditAction } from "./edit-line.ts";

type SimpleAction =
  | "choose"
  | "scope"
  | "preview"
  | "open"
  | "copy-command"
  | "copy-id"
  | "export"
  | "restore"
  | "pending"
  | "help"
  | "back"
  | "interrupt";

/** The action of a key. */
export type PickAction =
  | { readonly kind: "edit"; readonly edit: EditAction }
  | { readonly kind: "move"; readonly rows: number; readonly pages: number }
  | { readonly kind: "scroll"; readonly steps: number }
  | { readonly [Kind in SimpleAction]: { readonly kind: Kind } }[SimpleAction];

/** A line of the key table. */
export interface KeyRow {
  /** Names as `readKeys` returns them; the first is shown. */
  readonly keys: readonly [string, ...string[]];
  readonly action: PickAction;
  /** Its description, for the help. */
  readonly label: string;
  /** A word or two for the line of keys at the bottom; absent: it is only in the help. */
  readonly short?: string;
  /** When the line of keys shows it; absent: always. */
  readonly when?: "narrow" | "kept";
}

const edit = (action: EditAction): PickAction => ({ kind: "edit", edit: action });
const move = (rows: number, pages = 0): PickAction => ({ kind: "move", rows, pages });

/**
 * Every key of the picker. The dispatcher, the line of keys and the help are made from it. Letters are typed into the query,
 * so commands are on Ctrl, and none on a key that terminals, tmux or ssh keep for themselves.
 */
export const keyTable: readonly KeyRow[] = [
  { keys: ["enter"], action: { kind: "choose" }, label: "resume the session", short: "resume" },
  {
    keys: ["tab"],
    action: { kind: "scope" },
    label: "change between this project and everywhere",
    short: "project/all",
  },
  {
    keys: ["ctrl-o"],
    action: { kind: "preview" },
    label: "show or hide the preview, or the whole of it",
    short: "preview",
    when: "narrow",
  },
  {
    keys: ["ctrl-r"],
    action: { kind: "restore" },
    label: "restore a log that is gone or on another machine",
    short: "restore",
    when: "kept",
  },
  { keys: ["ctrl-l"], action: { kind: "open" }, label: "open it in the browser", short: "browser" },
  {
    keys: ["ctrl-y"],
    action: { kind: "copy-command" },
    label: "copy the resume command",
    short: "copy command",
  },
  { keys: ["ctrl-t"], action: { kind: "copy-id" }, label: "copy the id", short: "copy id" },
  { keys: ["ctrl-x"], action: { kind: "export" }, label: "export to a file in this folder", short: "export" },
  {
    keys: ["ctrl-g"],
    action: { kind: "pending" },
    label: "list open work, or the sessions again",
    short: "open work",
  },
  { keys: ["f1", "alt-h"], action: { kind: "help" }, label: "show or hide all keys", short: "keys" },
  { keys: ["escape"], action: { kind: "back" }, label: "close what is open, or leave", short: "leave" },
  { keys: ["ctrl-c"], action: { kind: "interrupt" }, label: "leave at once" },
  { keys: ["up", "ctrl-p"], action: move(-1), label: "the session above" },
  { keys: ["down", "ctrl-n"], action: move(1), label: "the session below" },
  { keys: ["pageup"], action: move(0, -1), label: "a page up" },
  { keys: ["pagedown"], action: move(0, 1), label: "a page down" },
  {
    keys: ["ctrl-f", "alt-down", "shift-down"],
    action: { kind: "scroll", steps: 1 },
    label: "scroll the preview down",
  },
  {
    keys: ["ctrl-b", "alt-up", "shift-up"],
    action: { kind: "scroll", steps: -1 },
    label: "scroll the preview up",
  },
  { keys: ["left"], action: edit({ kind: "move", to: "left" }), label: "one character left" },
  { keys: ["right"], action: edit({ kind: "move", to: "right" }), label: "one character right" },
  { keys: ["home", "ctrl-a"], action: edit({ kind: "move", to: "start" }), label: "start of the query" },
  { keys: ["end", "ctrl-e"], action: edit({ kind: "move", to: "end" }), label: "end of the query" },
  {
    keys: ["backspace"],
    action: edit({ kind: "delete", what: "before" }),
    label: "delete the character before",
  },
  {
    keys: ["delete", "ctrl-d"],
    action: edit({ kind: "delete", what: "after" }),
    label: "delete the character after",
  },
  { keys: ["ctrl-w"], action: edit({ kind: "delete", what: "word" }), label: "delete the word before" },
  { keys: ["ctrl-u"], action: edit({ kind: "delete", what: "line" }), label: "clear the query" },
];

export const pickActions: ReadonlyMap<string, PickAction> = new Map(
  keyTable.flatMap(({ keys, action }) => keys.map((key) => [key, action] as const)),
);

/** A key as people write it: `^Y`, `Enter`, `Alt-H`. */
export function keyName(key: string): string {
  const [, control] = /^ctrl-([a-z])$/.exec(key) ?? [];
  if (control !== undefined) return `^${control.toUpperCase()}`;
  const written: Readonly<Record<string, string>> = {
    escape: "Esc",
    up: "↑",
    down: "↓",
    left: "←",
    right: "→",
    pageup: "PgUp",
    pagedown: "PgDn",
  };
  return key
    .split("-")
    .map((part) => written[part] ?? part.charAt(0).toUpperCase() + part.slice(1))
    .join("-");
}
