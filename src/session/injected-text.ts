import type { NoteEntry, RequestEntry } from "./entry.ts";

/*
 * Text that programs put in the user's place: reminders, events of a build, content shown by an editor. It is wrapped
 * in elements (`<system-reminder>…</system-reminder>`) with names that nobody types; nothing else in the log marks
 * it.
 */

/** Elements next to a prompt: without them, the rest is the prompt. */
const BESIDE_PROMPTS = ["system-reminder", "system_reminder", "user-prompt-submit-hook"];

/** Elements that some programs put around the prompt itself. */
const PROMPT = /^user[-_](?:query|request|message|prompt|input)$/;

const ELEMENT_START = /^<([a-z][a-z0-9]*(?:[-_][a-z0-9]+)+)(?:\s[^<>]*)?>/;

/** Removes injected text from a request. A request of nothing else is a note. */
export function withoutInjectedText(entry: RequestEntry): RequestEntry | NoteEntry {
  const { via, images } = entry;
  // Nearly every request is done here.
  if ((via !== "typed" && via !== "queued") || !entry.text.includes("</")) return entry;
  const text = withoutElements(entry.text, BESIDE_PROMPTS).trim();
  const prompt = text === "" ? "" : promptIn(text);
  if (prompt !== "" || images > 0) return { ...entry, text: prompt };
  const { via: _, images: __, copiedFrom: ___, ...place } = entry;
  return { ...place, kind: "note", about: text === "" ? "meta" : "custom" };
}

/** Returns the prompt in a text that consists of elements alone; any other text is the prompt. */
function promptIn(text: string): string {
  const prompts: string[] = [];
  let rest = text;
  while (rest !== "") {
    const [open, name = ""] = ELEMENT_START.exec(rest) ?? [];
    const close = `</${name}>`;
    const end = open === undefined ? -1 : rest.indexOf(close);
    // Text next to an element, or an unclosed tag: the user wrote it.
    if (open === undefined || end === -1) return text;
    if (PROMPT.test(name)) prompts.push(rest.slice(open.length, end).trim());
    rest = rest.slice(end + close.length).trimStart();
  }
  return prompts.join("\n");
}

/** Removes elements with these names from a text. */
export function withoutElements(text: string, names: readonly string[]): string {
  let rest = text;
  for (const name of names) {
    const open = `<${name}>`;
    const close = `</${name}>`;
    for (let at = rest.indexOf(open); at !== -1; at = rest.indexOf(open, at)) {
      const end = rest.indexOf(close, at);
      // The user wrote a tag that nothing closes.
      if (end === -1) break;
      rest = rest.slice(0, at) + rest.slice(end + close.length);
    }
  }
  return rest;
}
