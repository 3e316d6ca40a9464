import type { JsonObject } from "../jsonl/json-line.ts";

const SHELL = /(?:^|[\\/])(?:ba|z|da|k|fi)?sh(?:\.exe)?$/;
const POWERSHELL = /(?:^|[\\/])(?:pwsh|powershell)(?:\.exe)?$/i;
const SCRIPT_FLAG = /^-[a-z]*c$/;

/** The command that a shell tool runs, as a person would type it. */
export function readShellCommand(input: JsonObject | undefined): string | undefined {
  const command = input?.command ?? input?.cmd ?? input?.script;
  if (typeof command === "string") return command === "" ? undefined : command;
  return Array.isArray(command) ? joinWords(command) : undefined;
}

/** `["bash", "-lc", script]` is its script; other lists are one word after the other. */
export function joinWords(words: readonly unknown[]): string | undefined {
  const texts = words.filter((word) => typeof word === "string");
  const [program = "", flag = "", script] = texts;
  if (script !== undefined && texts.length === 3) {
    if (SHELL.test(program) && SCRIPT_FLAG.test(flag)) return script;
    if (POWERSHELL.test(program) && /^-command$/i.test(flag)) return script;
  }
  const line = texts.map((word) => (/^[\w@%+=:,./~-]+$/.test(word) ? word : quoted(word))).join(" ");
  return line === "" ? undefined : line;
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
