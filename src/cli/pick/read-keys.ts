/** A key that was pressed, by its name (`enter`, `ctrl-y`, `f1`), or text that was typed or pasted. */
export type Key =
  | { readonly kind: "named"; readonly name: string }
  | { readonly kind: "text"; readonly text: string };

export interface KeysRead {
  readonly keys: readonly Key[];
  /** The start of a key whose rest has not arrived. */
  readonly rest: string;
}

/** Sequences after ESC, without a modifier: `[A`, `OP`, `[5~`. */
const sequences: Readonly<Record<string, string>> = {
  "[A": "up",
  "[B": "down",
  "[C": "right",
  "[D": "left",
  "[H": "home",
  "[F": "end",
  "[Z": "shift-tab",
  "[1~": "home",
  "[3~": "delete",
  "[4~": "end",
  "[5~": "pageup",
  "[6~": "pagedown",
  "[7~": "home",
  "[8~": "end",
  "[11~": "f1",
  "[[A": "f1",
  OA: "up",
  OB: "down",
  OC: "right",
  OD: "left",
  OH: "home",
  OF: "end",
  OP: "f1",
};

const controls: Readonly<Record<string, string>> = {
  "\r": "enter",
  "\n": "enter",
  "\t": "tab",
  "\x7f": "backspace",
  "\b": "backspace",
};

const PASTE_START = "\x1b[200~";
const PASTE_END = "\x1b[201~";
/** A whole CSI or SS3 sequence; the Linux console sends function keys as ESC [ [ A. */
const sequence = /^\x1b(\[\[[A-E]|\[[0-?]*[ -/]*[@-~]|O[0-9;]*[@-~])/;
const unfinished = /^\x1b(?:\[\[?|\[[0-?]*[ -/]*|O[0-9;]*)?$/;
/** Longer ones are not keys. */
const MAX_SEQUENCE = 32;

/**
 * Reads a terminal's input as keys. A key may arrive in two parts, especially over a network: the start is returned
 * as `rest`, to be read again with the next input. With `isAll` nothing follows, and a lone ESC is the key itself.
 */
export function readKeys(input: string, isAll: boolean): KeysRead {
  const keys: Key[] = [];
  const named = (name: string): void => void keys.push({ kind: "named", name });
  let at = 0;
  while (at < input.length) {
    const left = input.slice(at);
    if (left.startsWith(PASTE_START)) {
      const end = left.indexOf(PASTE_END);
      // Never taken for keys: a pasted line end must not choose a session.
      if (end < 0) return { keys, rest: left };
      keys.push({ kind: "text", text: left.slice(PASTE_START.length, end) });
      at += end + PASTE_END.length;
    } else if (left.startsWith("\x1b")) {
      const found = sequence.exec(left.slice(0, MAX_SEQUENCE));
      if (found !== null) {
        const name = nameOf(found[1] ?? "");
        if (name !== undefined) named(name);
        at += found[0].length;
      } else if (!isAll && unfinished.test(left)) return { keys, rest: left };
      else at += readAlt(left, named);
    } else {
      const control = controlName(left.charAt(0));
      if (control !== undefined) {
        named(control);
        at++;
      } else {
        const text = /^[^\x00-\x1f\x7f]+/.exec(left)?.[0] ?? left.charAt(0);
        keys.push({ kind: "text", text });
        at += text.length;
      }
    }
  }
  return { keys, rest: "" };
}

/** ESC before a character is Alt with that key; alone, or before another ESC, it is the key itself. */
function readAlt(left: string, named: (name: string) => void): number {
  const [next] = left.slice(1);
  if (next === undefined || next < " ") {
    named("escape");
    return 1;
  }
  named(`alt-${next.toLowerCase()}`);
  return 1 + next.length;
}

function controlName(char: string): string | undefined {
  if (char in controls) return controls[char];
  const code = char.charCodeAt(0);
  if (code >= 0x20) return undefined;
  return `ctrl-${String.fromCharCode(code + 0x60)}`;
}

/** Modifiers are the second number: `[1;5A` is Ctrl-Up. Sequences of keys that are not used here have no name. */
function nameOf(typed: string): string | undefined {
  const known = sequences[typed];
  if (known !== undefined) return known;
  const [, number = "", modifier = "", final = ""] = /^\[(\d+);(\d+)([~A-Z])$/.exec(typed) ?? [];
  const base = sequences[final === "~" ? `[${number}~` : `[${final}`];
  const prefix = { "2": "shift-", "3": "alt-", "5": "ctrl-" }[modifier];
  return base === undefined || prefix === undefined ? undefined : prefix + base;
}
