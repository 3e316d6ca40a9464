/** An element as it stands in a page. */
export interface HtmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
}

export interface StrictPage {
  readonly elements: readonly HtmlElement[];
  /** All text outside `<style>`, with entities read. */
  readonly text: string;
  readonly style: string;
}

const voids: ReadonlySet<string> = new Set(["meta", "hr", "br"]);
const tag = /<(\/?)([a-z][a-z0-9]*)((?: [a-z-]+="[^"<>]*")*)>/y;
const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };

/**
 * Reads a page of HTML in the one way of writing it that no parser can see otherwise: lower-case tags, attributes in
 * double quotes without `<` or `>`, every element closed in order, no comment, no bare `<`, `>` or `&`, and no control
 * character. Throws where anything is not written like that.
 */
export function readStrictHtml(page: string): StrictPage {
  const elements: HtmlElement[] = [];
  const open: string[] = [];
  let text = "";
  let style = "";
  let at = "<!doctype html>\n".length;
  if (!page.startsWith("<!doctype html>\n")) throw new Error("no doctype");
  const odd = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\p{Surrogate}]/u.exec(
    page,
  );
  if (odd !== null) throw new Error(`a character that acts: ${JSON.stringify(odd[0])}`);
  while (at < page.length) {
    const next = page.indexOf("<", at);
    const end = next === -1 ? page.length : next;
    text += readText(page.slice(at, end));
    at = end;
    if (at === page.length) break;
    tag.lastIndex = at;
    const found = tag.exec(page);
    if (found === null) throw new Error(`no tag of ours: ${page.slice(at, at + 80)}`);
    const [whole, slash, name = "", attributes = ""] = found;
    at += whole.length;
    if (slash === "/") {
      const expected = open.pop();
      if (expected !== name || attributes !== "") throw new Error(`</${name}> closes <${expected}>`);
      continue;
    }
    elements.push({ name, attributes: readAttributes(attributes) });
    if (voids.has(name)) continue;
    if (name === "style") {
      const close = page.indexOf("</style>", at);
      style += page.slice(at, close);
      at = close + "</style>".length;
    } else open.push(name);
  }
  if (open.length > 0) throw new Error(`left open: ${open.join(", ")}`);
  return { elements, text, style };
}

function readAttributes(text: string): Readonly<Record<string, string>> {
  const found = [...text.matchAll(/ ([a-z-]+)="([^"]*)"/g)].map(([, name = "", value = ""]) => [
    name,
    readText(value),
  ]);
  return Object.fromEntries(found);
}

function readText(text: string): string {
  if (text.includes(">")) throw new Error(`a bare > in ${text.slice(0, 80)}`);
  return text.replace(/&([^;&]{0,6};?)/g, (whole, name: string) => {
    const character = entities[name.slice(0, -1)];
    if (character === undefined) throw new Error(`a bare & in ${whole}`);
    return character;
  });
}
