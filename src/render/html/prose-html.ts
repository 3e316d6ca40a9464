import { cleanText } from "../../redact/clean-text.ts";
import { closesFence, isBlank, openingFence } from "../markdown/sanitize-markdown.ts";
import { inlineHtml, typedHtml } from "./inline-html.ts";
import { type Html, html, joined } from "./markup.ts";
import { type ProseBlock, parseProse } from "./parse-prose.ts";

/** What an agent said: its markdown as HTML. */
export function proseHtml(text: string): Html {
  return joined(parseProse(cleanText(text)).map(blockHtml), "\n");
}

function blockHtml(block: ProseBlock): Html {
  switch (block.kind) {
    case "paragraph":
      return html`<p>${inlineHtml(block.text)}</p>`;
    case "heading":
      // Below the headings of the page itself.
      return block.level === 1
        ? html`<h4>${inlineHtml(block.text)}</h4>`
        : html`<h5>${inlineHtml(block.text)}</h5>`;
    case "code":
      return codeHtml(block.text, block.language);
    case "rule":
      return html`<hr>`;
    case "quote":
      return html`<blockquote>${block.blocks.map(blockHtml)}</blockquote>`;
    case "list": {
      const items = block.items.map(itemHtml);
      if (block.start === null) return html`<ul>${items}</ul>`;
      return block.start === 1 ? html`<ol>${items}</ol>` : html`<ol start="${block.start}">${items}</ol>`;
    }
    case "table":
      return html`<div class="wide"><table><thead><tr>${block.head.map((cell) => html`<th>${inlineHtml(cell)}</th>`)}</tr></thead><tbody>${block.rows.map(
        (row) => html`<tr>${row.map((cell) => html`<td>${inlineHtml(cell)}</td>`)}</tr>`,
      )}</tbody></table></div>`;
  }
}

/** An item of one paragraph stands without its own, so that lists stay tight; a box in front is drawn as one. */
function itemHtml(blocks: readonly ProseBlock[]): Html {
  const [first, ...rest] = blocks;
  if (first?.kind !== "paragraph") return html`<li>${blocks.map(blockHtml)}</li>`;
  const box = /^\[([ xX~-])\] /.exec(first.text);
  const text = box === null ? first.text : first.text.slice(box[0].length);
  const mark = box === null ? "" : box[1] === " " ? "☐ " : "☑ ";
  return html`<li>${mark}${inlineHtml(text)}${rest.map(blockHtml)}</li>`;
}

/** Code of any kind; a diff has its lines coloured. */
export function codeHtml(text: string, language: string): Html {
  const code = cleanText(text).trimEnd();
  if (language !== "diff" && language !== "patch") return html`<pre><code>${code}</code></pre>`;
  const lines = code.split("\n").map((line) => {
    if (line.startsWith("+")) return html`<span class="added">${line}</span>`;
    return line.startsWith("-") ? html`<span class="removed">${line}</span>` : html`${line}`;
  });
  return html`<pre><code>${joined(lines, "\n")}</code></pre>`;
}

/** What a person typed, line by line as it was typed; only code is set apart. */
export function typedProse(text: string): Html {
  const lines = cleanText(text).split("\n");
  const parts: Html[] = [];
  let plain: string[] = [];
  const flush = (): void => {
    const said = plain.join("\n").replace(/^\n+/, "").trimEnd();
    if (said !== "") parts.push(html`<p class="typed">${typedHtml(said)}</p>`);
    plain = [];
  };
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const fence = openingFence(line);
    if (fence === undefined) {
      if (!isBlank(line) || plain.length > 0) plain.push(line);
      continue;
    }
    flush();
    let end = at + 1;
    while (end < lines.length && !closesFence(lines[end] ?? "", fence.run)) end++;
    parts.push(codeHtml(lines.slice(at + 1, end).join("\n"), fence.language));
    at = end;
  }
  flush();
  return joined(parts, "\n");
}
