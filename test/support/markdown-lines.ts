export interface MarkdownLines {
  readonly headings: readonly string[];
  readonly rules: readonly string[];
  /** Of HTML, outside code. */
  readonly tags: readonly string[];
  /** Destinations of links and images. */
  readonly links: readonly string[];
  /** A fence was not closed. */
  readonly isOpen: boolean;
}

const container = /^(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t])))*[ \t]*/;

/**
 * Looks at markdown as a reader does who is as quick as can be to see markup: line by line, at any indent, behind any
 * marks of lists and quotes. Only fenced blocks and inline code that ends on its line are code to it.
 */
export function readMarkdownLines(lines: readonly string[]): MarkdownLines {
  const found = {
    headings: [] as string[],
    rules: [] as string[],
    tags: [] as string[],
    links: [] as string[],
  };
  let fence = "";
  for (const line of lines) {
    // The marks of a quote stay in front of its code.
    const inQuote = line.replace(/^(?:[ \t]*>)?[ \t]*/, "");
    if (fence !== "") {
      if (inQuote.startsWith(fence) && /^[`~]+[ \t]*$/.test(inQuote)) fence = "";
      continue;
    }
    const rest = line.replace(container, "");
    const opening = /^(`{3,}(?!.*`)|~{3,})/.exec(rest)?.[1];
    if (opening !== undefined) {
      fence = opening;
      continue;
    }
    if (/^#{1,6}(?:[ \t]|$)/.test(rest)) found.headings.push(line);
    if (
      /^([-*_])(?:[ \t]*\1)*[ \t]*$/.test(rest.slice(0, 1_000)) &&
      /^(?:[-_*][ \t]*){3,}$|^-+[ \t]*$/.test(rest.slice(0, 1_000))
    )
      found.rules.push(line);
    if (/^=+[ \t]*$/.test(rest.slice(0, 1_000))) found.rules.push(line);
    readInline(rest, found);
  }
  return { ...found, isOpen: fence !== "" };
}

function readInline(line: string, found: { readonly tags: string[]; readonly links: string[] }): void {
  const token = /\\[!-/:-@[-`{-~]|(`+)|<[a-z/!?][^>]*>?|!?\[[^\]]*\](?:\([^)]*\)|:)/gi;
  for (let match = token.exec(line); match !== null; match = token.exec(line)) {
    const [whole, run] = match;
    if (run !== undefined) {
      const close = new RegExp(`(?<!\`)${run}(?!\`)`, "g");
      close.lastIndex = token.lastIndex;
      if (close.exec(line) !== null) token.lastIndex = close.lastIndex;
    } else if (whole.startsWith("<")) found.tags.push(whole);
    else if (!whole.startsWith("\\")) found.links.push(whole.replace(/^.*\]/, ""));
  }
}
