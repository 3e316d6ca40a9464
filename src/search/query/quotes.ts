/** What closes a phrase that begins with the key; typographic quotes are closed by a straight one too. */
const closing: Readonly<Record<string, string>> = {
  '"': '"',
  "“": '”"',
  "”": '”"',
  "„": '“”"',
  "«": "»",
  "»": "«",
  "＂": '＂"',
  "「": "」",
  "『": "』",
};

/**
 * Where the quote at `at` is closed; `at` itself if there is no quote; undefined if nothing closes it. A
 * straight quote between two letters (5"x, d"or) closes nothing.
 */
export function closingQuote(text: string, at: number): number | undefined {
  const ends = closing[text[at] ?? ""];
  if (ends === undefined) return at;
  for (let index = at + 1; index < text.length; index++) {
    if (!ends.includes(text[index] ?? "")) continue;
    if (text[index] !== '"' || !isLetter(text[index - 1]) || !isLetter(text[index + 1])) return index;
  }
  return undefined;
}

function isLetter(char: string | undefined): boolean {
  return char !== undefined && (/[A-Za-z0-9]/.test(char) || /[\p{L}\p{N}]/u.test(char));
}
