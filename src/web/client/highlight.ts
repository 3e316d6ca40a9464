/** Marks matches without changing the page: the CSS of `::highlight(match)` says how they look. */

const MAX_MATCHES = 2_000;

/** The plain words of a query: no operators, no words that are left out. */
export function plainWords(query: string): readonly string[] {
  return query
    .replace(/(?:^|\s)-\S+/g, " ")
    .replace(/(?:^|\s)[a-z]+:(?:"[^"]*"|\S*)/g, " ")
    .split(/[^\p{L}\p{N}_]+/u)
    .filter((word) => word.length > 1);
}

/** Marks the words of a query in what an element shows now. */
export function markWords(element: HTMLElement | null, query: string): void {
  if (!("highlights" in CSS)) return;
  CSS.highlights.delete("match");
  const words = plainWords(query);
  if (element === null || words.length === 0) return;
  const pattern = new RegExp(
    `(?<![\\p{L}\\p{N}])(?:${words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})`,
    "giu",
  );
  const highlight = new Highlight();
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null && highlight.size < MAX_MATCHES; node = texts.nextNode()) {
    for (const { index, 0: match } of (node.nodeValue ?? "").matchAll(pattern)) {
      const range = new Range();
      range.setStart(node, index);
      range.setEnd(node, index + match.length);
      highlight.add(range);
    }
  }
  CSS.highlights.set("match", highlight);
}
