import type { Token, Tokens } from "marked";
import type { ComponentChildren, JSX } from "preact";
import { useMemo } from "preact/hooks";
import { codeSpans, isWebAddress, proseTokens, typedBlocks } from "../../render/prose-tokens.ts";

/**
 * Shows markdown of a log as a tree of elements. Text becomes text nodes only, so a log can't create markup. Images
 * are links, so that nothing is loaded.
 */
export function Prose({ text }: { readonly text: string }): JSX.Element {
  const tokens = useMemo(() => proseTokens(text), [text]);
  return tokens === undefined ? <Typed text={text} /> : <div class="prose">{blocks(tokens)}</div>;
}

function blocks(tokens: readonly Token[]): ComponentChildren {
  return tokens.map((token, at) => block(token, at));
}

/** One block. The types of marked say `any` for tokens of extensions, of which there are none. */
function block(token: Token, key: number): ComponentChildren {
  switch (token.type) {
    case "space":
      return null;
    case "code": {
      const { text, lang } = token as Tokens.Code;
      return <Code key={key} text={text} language={lang ?? ""} />;
    }
    case "blockquote":
      return <blockquote key={key}>{blocks(token.tokens ?? [])}</blockquote>;
    case "heading": {
      const { depth, tokens } = token as Tokens.Heading;
      return depth <= 2 ? <h4 key={key}>{inline(tokens)}</h4> : <h5 key={key}>{inline(tokens)}</h5>;
    }
    case "hr":
      return <hr key={key} />;
    case "list":
      return list(token as Tokens.List, key);
    case "table":
      return table(token as Tokens.Table, key);
    case "paragraph":
      return <p key={key}>{inline(token.tokens ?? [])}</p>;
    case "text":
      return "tokens" in token && token.tokens !== undefined ? inline(token.tokens) : String(token.raw);
    default:
      return <p key={key}>{token.raw}</p>;
  }
}

function list({ ordered, start, items }: Tokens.List, key: number): JSX.Element {
  const inner = items.map((item, at) => (
    <li key={at} class={item.task ? "task" : undefined}>
      {item.task ? (item.checked === true ? "☑ " : "☐ ") : null}
      {blocks(item.tokens.filter(({ type }) => type !== "checkbox"))}
    </li>
  ));
  if (!ordered) return <ul key={key}>{inner}</ul>;
  return (
    <ol key={key} start={typeof start === "number" ? start : 1}>
      {inner}
    </ol>
  );
}

function table({ header, rows }: Tokens.Table, key: number): JSX.Element {
  return (
    <div key={key} class="wide">
      <table>
        <thead>
          <tr>
            {header.map((cell, at) => (
              <th key={at}>{inline(cell.tokens)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, column) => (
                <td key={column}>{inline(cell.tokens)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function inline(tokens: readonly Token[]): ComponentChildren {
  return tokens.map((token, at) => inlineToken(token, at));
}

function inlineToken(token: Token, key: number): ComponentChildren {
  switch (token.type) {
    case "strong":
      return <strong key={key}>{inline(token.tokens ?? [])}</strong>;
    case "em":
      return <em key={key}>{inline(token.tokens ?? [])}</em>;
    case "del":
      return <del key={key}>{inline(token.tokens ?? [])}</del>;
    case "codespan":
      return <code key={key}>{token.text}</code>;
    case "br":
      return <br key={key} />;
    case "link":
    case "image": {
      const { href, text, raw } = token as Tokens.Link | Tokens.Image;
      if (!isWebAddress(href)) return raw;
      return (
        <a key={key} href={href} target="_blank" rel="noopener noreferrer nofollow">
          {token.type === "link" ? inline(token.tokens ?? []) : text === "" ? href : text}
        </a>
      );
    }
    case "escape":
      return token.text;
    default:
      return "tokens" in token && token.tokens !== undefined ? inline(token.tokens) : unescaped(token);
  }
}

/** Shows text as it was written: marked escapes some texts for HTML, which is wrong here. */
function unescaped(token: Token): string {
  return token.type === "text" && "escaped" in token && token.escaped === true ? token.text : token.raw;
}

/** Shows a person's text, line by line; only code is set apart. */
export function Typed({ text }: { readonly text: string }): JSX.Element {
  const parts = useMemo(() => typedBlocks(text), [text]);
  return (
    <div class="prose">
      {parts.map((part, at) =>
        part.kind === "code" ? (
          <Code key={at} text={part.text} language={part.language} />
        ) : (
          <p key={at} class="typed">
            {codeSpans(part.text).map((piece, index) =>
              piece.kind === "code" ? <code key={index}>{piece.text}</code> : piece.text,
            )}
          </p>
        ),
      )}
    </div>
  );
}

/** More lines would make the page slow to lay out. */
const MAX_DIFF_LINES = 4_000;

/** Shows code; the lines of a diff are coloured. */
export function Code({ text, language }: { readonly text: string; readonly language: string }): JSX.Element {
  const lines = language === "diff" || language === "patch" ? text.trimEnd().split("\n") : undefined;
  if (lines === undefined || lines.length > MAX_DIFF_LINES)
    return (
      <pre>
        <code>{text.trimEnd()}</code>
      </pre>
    );
  return (
    <pre class="diff">
      <code>
        {lines.map((line, at) => [
          <span key={at} class={lineClass(line)}>
            {line}
          </span>,
          // Outside of the span: a line break inside of it would not end the line, and all lines would be one row.
          "\n",
        ])}
      </code>
    </pre>
  );
}

function lineClass(line: string): string | undefined {
  if (line.startsWith("+")) return "added";
  if (line.startsWith("-")) return "removed";
  return line.startsWith("@@") || line.startsWith("***") ? "place" : undefined;
}
