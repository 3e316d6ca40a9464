/**
 * Makes one line of markdown out of a transcript harmless, and keeps it readable and findable. Emphasis and inline
 * code stay. What could become markup that acts is preceded by a backslash, so that `grep '[ERROR]'` still finds
 * `\[ERROR]`: raw HTML, links, images and footnotes (they all begin with `<` or `[`), entities (they can spell what
 * was cleaned away), and what notes programs read besides: `$` of formulas, `#` of tags, `%%` of comments.
 *
 * Inline code keeps its text as it is, so it must be code for every reader. Hence it never spans lines, lone backticks
 * are escaped, and where readers may disagree it is no code: behind an address (some take the backtick for a part of
 * it) and around a `|` (a table is cut into cells first) beside code that holds markup.
 */
export function escapeInline(line: string): string {
  if (!special.test(line)) return line;
  const { text, pipeInCode, markupInCode } = escapeLine(line, true);
  return pipeInCode && markupInCode ? escapeLine(line, false).text : text;
}

const special = /[\\`<[$&#]|%%/;
const tokens = /\\|`+|<|\[|\$|&|#|%{2,}|:\/\/|www\./gi;
const punctuation = /[!-/:-@[-`{-~]/;
const entity = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});/iy;
/** A tag needs a character that is no digit. */
const tag = /#[\p{N}]*[\p{L}\p{S}\p{M}_/-]/uy;
const wordBefore = /[\p{L}\p{N}_]$/u;
const markup = /[<[]|%%/;

interface EscapedLine {
  readonly text: string;
  readonly pipeInCode: boolean;
  readonly markupInCode: boolean;
}

function escapeLine(line: string, pipesInCode: boolean): EscapedLine {
  const closers = closingRuns(line);
  let text = "";
  let from = 0;
  let addressEnd = 0;
  let pipeInCode = false;
  let markupInCode = false;
  const put = (end: number, replacement: string, next: number): void => {
    text += line.slice(from, end) + replacement;
    from = next;
  };
  /** Within an address a backslash would be taken for a part of it, and what follows would be free. */
  const disarm = (at: number, characters: string): void => {
    const inAddress = at < addressEnd;
    let disarmed = "";
    for (const each of characters) disarmed += inAddress ? `&#${each.charCodeAt(0)};` : `\\${each}`;
    put(at, disarmed, at + characters.length);
  };
  tokens.lastIndex = 0;
  for (let match = tokens.exec(line); match !== null; match = tokens.exec(line)) {
    const [token] = match;
    const at = match.index;
    switch (token[0]) {
      case "\\":
        // An escape of the transcript's own; what it escapes is done with.
        if (at >= addressEnd && punctuation.test(line.charAt(at + 1))) tokens.lastIndex = at + 2;
        break;
      case "`": {
        const end = at < addressEnd ? undefined : closers(at, token.length);
        const inside = end === undefined ? "" : line.slice(at + token.length, end);
        const hasPipe = inside.includes("|");
        if (end === undefined || (hasPipe && !pipesInCode)) disarm(at, token);
        else {
          pipeInCode ||= hasPipe;
          markupInCode ||= markup.test(inside);
          tokens.lastIndex = end + token.length;
        }
        break;
      }
      case "%":
        // Apart in the source too: not every reader of comments knows escapes.
        put(at, `%${"\\%".repeat(token.length - 1)}`, at + token.length);
        break;
      case "&":
        entity.lastIndex = at;
        if (entity.test(line)) disarm(at, token);
        break;
      case "#":
        tag.lastIndex = at;
        if (at >= addressEnd && tag.test(line) && !wordBefore.test(line.slice(Math.max(0, at - 2), at)))
          disarm(at, token);
        break;
      case "<":
      case "[":
      case "$":
        disarm(at, token);
        break;
      default:
        if (at >= addressEnd) addressEnd = endOfWord(line, at);
    }
  }
  return { text: text + line.slice(from), pipeInCode, markupInCode };
}

function endOfWord(line: string, at: number): number {
  const space = line.slice(at).search(/\s/);
  return space === -1 ? line.length : at + space;
}

/**
 * Finds what closes inline code: the next run of exactly as many backticks. To be asked from left to right; runs that
 * lie behind are dropped, so that a text is gone through once however many there are.
 */
export function closingRuns(text: string): (at: number, length: number) => number | undefined {
  let starts: Map<number, number[]> | undefined;
  return (at, length) => {
    starts ??= startsByLength(text);
    const ahead = starts.get(length) ?? [];
    while (ahead.length > 0 && (ahead.at(-1) ?? 0) <= at) ahead.pop();
    return ahead.at(-1);
  };
}

/** The last one first, so that those ahead are taken off the end. */
function startsByLength(text: string): Map<number, number[]> {
  const starts = new Map<number, number[]>();
  for (const { 0: run, index } of [...text.matchAll(/`+/g)].reverse()) {
    const known = starts.get(run.length);
    if (known === undefined) starts.set(run.length, [index]);
    else known.push(index);
  }
  return starts;
}
