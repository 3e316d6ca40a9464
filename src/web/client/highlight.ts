/** Marks matches without changing the page: the CSS of `::highlight(match)` gives their style. */

const MAX_MATCHES = 2_000;

/** The plain words of a query, without operators and excluded words. */
export function plainWords(query: string): readonly string[] {
  return query
    .replace(/(?:^|\s)-\S+/g, " ")
    .replace(/(?:^|\s)[a-z]+:(?:"[^"]*"|\S*)/g, " ")
    .split(/[^\p{L}\p{N}_]+/u)
    .filter((word) => word.length > 1);
}

/**
 * Finds the words at the start of a word: after a character that is not a letter, or at a capital inside a name, as
 * in `LastCheckpointID`, because the index splits names there too.
 */
export function wordPlaces(text: string, words: readonly string[]): readonly (readonly [number, number])[] {
  const pattern = new RegExp(
    words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|"),
    "giu",
  );
  const places: [number, number][] = [];
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const end = match.index + match[0].length;
    if (beginsWord(text, match.index)) places.push([match.index, end]);
    else pattern.lastIndex = match.index + 1;
  }
  return places;
}

function beginsWord(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 2), at);
  if (!/[\p{L}\p{N}]$/u.test(before)) return true;
  if (!/^\p{Lu}/u.test(text.slice(at, at + 2))) return false;
  return !/\p{Lu}$/u.test(before) || /^\p{Lu}\p{Ll}/u.test(text.slice(at, at + 4));
}

/** Marks the words of a query in the present content of an element. */
export function markWords(element: HTMLElement | null, query: string): void {
  if (!("highlights" in CSS)) return;
  CSS.highlights.delete("match");
  const words = plainWords(query);
  if (element === null || words.length === 0) return;
  const highlight = new Highlight();
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null && highlight.size < MAX_MATCHES; node = texts.nextNode()) {
    for (const [start, end] of wordPlaces(node.nodeValue ?? "", words)) {
      const range = new Range();
      range.setStart(node, start);
      range.setEnd(node, end);
      highlight.add(range);
    }
  }
  CSS.highlights.set("match", highlight);
}
