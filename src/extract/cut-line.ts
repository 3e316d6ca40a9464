/**
 * A text in one line, at most `max` characters and an ellipsis behind them. Characters are counted, not halves of
 * them: a pair is never parted.
 */
export function cutLine(text: string, max: number): string {
  // Eight times as much is enough for any white space that goes, and a text of megabytes is not gone through.
  const head = text.length > 8 * max ? text.slice(0, 8 * max) : text;
  const line = head.replace(/\s+/g, " ").trim();
  if (line.length <= max && head.length === text.length) return line;
  let end = 0;
  for (let count = 0; count < max && end < line.length; count++)
    end += (line.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  return end === line.length && head.length === text.length ? line : `${line.slice(0, end)}…`;
}
