import { Marked, type RendererObject } from "marked";
import { cleanText } from "../../redact/clean-text.ts";
import { codeSpans, isParsable, isWebAddress, plainTokenizer, typedBlocks } from "../prose-tokens.ts";
import { type Html, html, joined } from "./markup.ts";

/** Renders an agent's reply: its markdown as HTML. */
export function proseHtml(text: string): Html {
  const clean = cleanText(text);
  return isParsable(clean) ? { html: parseBlocks(clean).trim() } : typedHtml(clean);
}

/** Renders one line of markdown, without a paragraph around it. */
export function inlineHtml(text: string): Html {
  const clean = cleanText(text);
  return isParsable(clean) ? { html: markdown.parseInline(clean, { async: false }) } : codeSpansHtml(clean);
}

/**
 * Every method of marked's renderer, so that each piece of HTML on the page goes through the `html` template, which
 * escapes. Raw HTML is never tokenized: it is text. Images are links, so that nothing is loaded.
 */
const renderer = {
  space: () => "",
  code: ({ text, lang }) => codeHtml(text, lang ?? "").html,
  blockquote({ tokens }) {
    return html`<blockquote>${{ html: this.parser.parse(tokens) }}</blockquote>`.html;
  },
  html: ({ text }) => html`${text}`.html,
  def: ({ raw }) => html`${raw}`.html,
  heading({ tokens, depth }) {
    const inner: Html = { html: this.parser.parseInline(tokens) };
    // Below the headings of the page itself.
    return depth === 1 ? html`<h4>${inner}</h4>`.html : html`<h5>${inner}</h5>`.html;
  },
  hr: () => html`<hr>`.html,
  list({ ordered, start, items }) {
    const inner: Html = { html: items.map((item) => this.listitem(item)).join("") };
    if (!ordered) return html`<ul>${inner}</ul>`.html;
    return start === 1 ? html`<ol>${inner}</ol>`.html : html`<ol start="${start}">${inner}</ol>`.html;
  },
  listitem({ tokens }) {
    return html`<li>${{ html: this.parser.parse(tokens) }}</li>`.html;
  },
  checkbox: ({ checked }) => (checked ? "☑ " : "☐ "),
  paragraph({ tokens }) {
    return html`<p>${{ html: this.parser.parseInline(tokens) }}</p>\n`.html;
  },
  table({ header, rows, raw }) {
    const escaped = escapePipesInCode(raw);
    if (escaped !== raw) return parseBlocks(escaped);
    const cells = (row: typeof header): Html => ({ html: row.map((cell) => this.tablecell(cell)).join("") });
    return html`<div class="wide"><table><thead><tr>${cells(header)}</tr></thead><tbody>${rows.map(
      (row) => html`<tr>${cells(row)}</tr>`,
    )}</tbody></table></div>`.html;
  },
  tablerow: ({ text }) => html`<tr>${{ html: text }}</tr>`.html,
  tablecell({ tokens, header }) {
    const inner: Html = { html: this.parser.parseInline(tokens) };
    return header ? html`<th>${inner}</th>`.html : html`<td>${inner}</td>`.html;
  },
  strong({ tokens }) {
    return html`<strong>${{ html: this.parser.parseInline(tokens) }}</strong>`.html;
  },
  em({ tokens }) {
    return html`<em>${{ html: this.parser.parseInline(tokens) }}</em>`.html;
  },
  codespan: ({ text }) => html`<code>${text}</code>`.html,
  br: () => html`<br>`.html,
  del({ tokens }) {
    return html`<del>${{ html: this.parser.parseInline(tokens) }}</del>`.html;
  },
  link({ href, raw, tokens }) {
    return isWebAddress(href)
      ? html`<a href="${href}" rel="noopener noreferrer nofollow">${{ html: this.parser.parseInline(tokens) }}</a>`
          .html
      : html`${raw}`.html;
  },
  image({ href, raw, text }) {
    return isWebAddress(href)
      ? html`<a href="${href}" rel="noopener noreferrer nofollow">${text === "" ? href : text}</a>`.html
      : html`${raw}`.html;
  },
  text(token) {
    return "tokens" in token && token.tokens !== undefined
      ? this.parser.parseInline(token.tokens)
      : html`${token.text}`.html;
  },
} satisfies Required<RendererObject>;

const markdown = new Marked({
  gfm: true,
  renderer,
  tokenizer: plainTokenizer,
});

function parseBlocks(text: string): string {
  return markdown.parse(text, { async: false });
}

/** Agents write `a | b` in a cell, which markdown would split in two, losing everything past the last column. */
function escapePipesInCode(table: string): string {
  return table.replace(/`[^`\n]*`/g, (code) => code.replace(/(?<!\\)\|/g, "\\|"));
}

/** Renders code of any language; the lines of a diff are coloured. */
export function codeHtml(text: string, language: string): Html {
  const code = cleanText(text).trimEnd();
  if (language !== "diff" && language !== "patch") return html`<pre><code>${code}</code></pre>`;
  const lines = code.split("\n").map((line) => {
    if (line.startsWith("+")) return html`<span class="added">${line}</span>`;
    return line.startsWith("-") ? html`<span class="removed">${line}</span>` : html`${line}`;
  });
  return html`<pre><code>${joined(lines, "\n")}</code></pre>`;
}

/** Renders a person's text, line by line; only code is set apart. */
export function typedHtml(text: string): Html {
  return joined(
    typedBlocks(text).map((block) =>
      block.kind === "code"
        ? codeHtml(block.text, block.language)
        : html`<p class="typed">${codeSpansHtml(block.text)}</p>`,
    ),
    "\n",
  );
}

/** Text in which only what is between backticks is code. */
function codeSpansHtml(text: string): Html {
  return joined(
    codeSpans(text).map((span) =>
      span.kind === "code" ? html`<code>${span.text}</code>` : html`${span.text}`,
    ),
  );
}
