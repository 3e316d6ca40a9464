const SPACE = /[\s\0]/;

/**
 * The keys of the object that begins at `from`, and where their values begin. The text may end
 * anywhere: of a file's head the keys up to there are found.
 */
export function topLevelKeys(text: string, from = 0): ReadonlyMap<string, number> {
  const keys = new Map<string, number>();
  let depth = 0;
  let stringAt = -1;
  /** The last string at depth one: a key if a colon follows. */
  let lastString: string | undefined;
  for (let i = from; i < text.length; i++) {
    const char = text[i] ?? "";
    if (stringAt !== -1) {
      if (char === "\\") i++;
      else if (char === '"') {
        if (depth === 1) lastString = text.slice(stringAt + 1, i);
        stringAt = -1;
      }
    } else if (char === '"') stringAt = i;
    else if (char === "{" || char === "[") depth++;
    else if (char === "}" || char === "]") {
      if (--depth <= 0) break;
    } else if (char === ":" && depth === 1 && lastString !== undefined) {
      keys.set(lastString, skipSpace(text, i + 1));
      lastString = undefined;
    } else if (depth === 0 && !SPACE.test(char)) break;
  }
  return keys;
}

export function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && SPACE.test(text[at] ?? "")) at++;
  return at;
}
