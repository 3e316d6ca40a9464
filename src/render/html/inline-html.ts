import { closingRuns } from "../markdown/escape-inline.ts";
import { type Html, html, joined } from "./markup.ts";

/**
 * Inline markdown as HTML: code, strong, emphasis, strike-through, and links to web pages, whose address is shown by
 * the browser and of which nothing is loaded. Everything else is text.
 */
export function inlineHtml(text: string): Html {
  return emphasize(tokenize(text, true));
}

/** Text in which only code is code: for what people typed. */
export function typedHtml(text: string): Html {
  return joined(
    tokenize(text, false).map((token) => (token.kind === "mark" ? html`${token.text}` : token.html)),
  );
}

/** A mark may open or close emphasis; whether it does is decided when all is read. */
type Token =
  | { readonly kind: "done"; readonly html: Html }
  | { readonly kind: "mark"; readonly text: string; readonly opens: boolean; readonly closes: boolean };

const special = /\\[!-/:-@[-`{-~]|`+|\*{1,3}|_{1,3}|~~|\[|https?:\/\//;
const link = /\[([^[\]\n]{1,400})\]\((https?:\/\/[^\s()<>"]{1,2000})\)/y;
const address = /https?:\/\/[^\s<>"'`[\](){}|\\^*]{1,2000}/y;

function tokenize(text: string, withMarks: boolean): readonly Token[] {
  const tokens: Token[] = [];
  const closing = closingRuns(text);
  // Of its own: the text of a link is read while its line still is.
  const scan = new RegExp(special, "g");
  let from = 0;
  const put = (start: number, end: number, token: Token): void => {
    if (start > from) tokens.push({ kind: "done", html: html`${text.slice(from, start)}` });
    tokens.push(token);
    from = end;
    scan.lastIndex = end;
  };
  for (let match = scan.exec(text); match !== null; match = scan.exec(text)) {
    const [run] = match;
    const at = match.index;
    const first = run.charAt(0);
    if (first === "`") {
      const end = closing(at, run.length);
      if (end === undefined) continue;
      const code = trimOnce(text.slice(at + run.length, end).replaceAll("\n", " "));
      put(at, end + run.length, { kind: "done", html: html`<code>${code}</code>` });
    } else if (!withMarks) continue;
    else if (first === "\\") put(at, at + 2, { kind: "done", html: html`${run.slice(1)}` });
    else if (first === "[" || first === "h") {
      const found = first === "[" ? linkAt(text, at) : addressAt(text, at);
      if (found !== undefined) put(at, found.end, { kind: "done", html: found.html });
    } else put(at, at + run.length, markAt(text, at, run));
  }
  if (from < text.length) tokens.push({ kind: "done", html: html`${text.slice(from)}` });
  return tokens;
}

interface Found {
  readonly html: Html;
  readonly end: number;
}

function linkAt(text: string, at: number): Found | undefined {
  link.lastIndex = at;
  const [whole, label, url] = link.exec(text) ?? [];
  if (whole === undefined || label === undefined || url === undefined) return undefined;
  return { html: anchor(url, typedHtml(label)), end: at + whole.length };
}

function addressAt(text: string, at: number): Found | undefined {
  address.lastIndex = at;
  const url = address.exec(text)?.[0].replace(/[.,;:!?_~]{1,20}$/, "");
  if (url === undefined || !/^https?:\/\/[^/]/.test(url)) return undefined;
  return { html: anchor(url, html`${url}`), end: at + url.length };
}

function anchor(url: string, label: Html): Html {
  return html`<a href="${url}" rel="noopener noreferrer nofollow">${label}</a>`;
}

function markAt(text: string, at: number, run: string): Token {
  const before = text.charAt(at - 1);
  const after = text.charAt(at + run.length);
  const opens = after !== "" && !/\s/.test(after);
  const closes = before !== "" && !/\s/.test(before);
  const inWord = run.startsWith("_") && /[\p{L}\p{N}]/u.test(before) && /[\p{L}\p{N}]/u.test(after);
  return { kind: "mark", text: run, opens: opens && !inWord, closes: closes && !inWord };
}

const elements: Readonly<Record<string, (inner: Html) => Html>> = {
  "*": (inner) => html`<em>${inner}</em>`,
  _: (inner) => html`<em>${inner}</em>`,
  "**": (inner) => html`<strong>${inner}</strong>`,
  __: (inner) => html`<strong>${inner}</strong>`,
  "***": (inner) => html`<strong><em>${inner}</em></strong>`,
  ___: (inner) => html`<strong><em>${inner}</em></strong>`,
  "~~": (inner) => html`<del>${inner}</del>`,
};

/** Pairs marks as brackets are paired: the nearest open one of the same kind; what is left open is text. */
function emphasize(tokens: readonly Token[]): Html {
  interface Open {
    readonly text: string;
    readonly inner: Html[];
  }
  const stack: Open[] = [{ text: "", inner: [] }];
  const put = (part: Html): void => void stack.at(-1)?.inner.push(part);
  const isOpen = new Map<string, number>();
  const count = (mark: string, by: number): void => void isOpen.set(mark, (isOpen.get(mark) ?? 0) + by);
  /** Gives up the innermost open mark: it was text. */
  const flatten = (): void => {
    const { text, inner } = stack.pop() ?? { text: "", inner: [] };
    count(text, -1);
    put(html`${text}`);
    for (const part of inner) put(part);
  };
  for (const token of tokens) {
    if (token.kind === "done") put(token.html);
    else if (token.closes && (isOpen.get(token.text) ?? 0) > 0) {
      while (stack.at(-1)?.text !== token.text) flatten();
      const { inner } = stack.pop() ?? { inner: [] };
      count(token.text, -1);
      put(elements[token.text]?.(joined(inner)) ?? joined(inner));
    } else if (token.opens && stack.length < MAX_OPEN) {
      stack.push({ text: token.text, inner: [] });
      count(token.text, 1);
    } else put(html`${token.text}`);
  }
  while (stack.length > 1) flatten();
  return joined(stack[0]?.inner ?? []);
}

/** Emphasis within emphasis; more is no writing. */
const MAX_OPEN = 12;

function trimOnce(code: string): string {
  return code.startsWith(" ") && code.endsWith(" ") && code.trim() !== "" ? code.slice(1, -1) : code;
}
