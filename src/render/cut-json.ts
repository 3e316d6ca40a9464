/**
 * Reads JSON whose end may be missing: inputs of tools are kept cut. What is open is closed, so that the beginning
 * of a long text is a text again. undefined where it is no JSON.
 */
export function parseCutJson(json: string): unknown {
  const whole = tryParse(json);
  if (whole !== undefined) return whole;
  const { open, inText, safe } = scan(json);
  if (open.length === 0) return undefined;
  const closers = open.toReversed().join("");
  // A text is closed where it stands; what else may be cut in two (a number, a key without its value) goes.
  const closed = inText ? tryParse(`${withoutHalfEscape(json)}"${closers}`) : undefined;
  return closed ?? tryParse(json.slice(0, safe.at) + safe.open.toReversed().join(""));
}

function tryParse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    // Cut, or no JSON: that is what was asked.
    return undefined;
  }
}

function withoutHalfEscape(json: string): string {
  const cut = json.replace(/\\u[\da-f]{0,3}$/i, "");
  const slashes = /\\*$/.exec(cut)?.[0].length ?? 0;
  return slashes % 2 === 1 ? cut.slice(0, -1) : cut;
}

interface Scan {
  /** What would close the objects and lists that are open at the end. */
  readonly open: readonly string[];
  readonly inText: boolean;
  /** The last place where all is whole once the open ones are closed: before a comma, or behind an opening. */
  readonly safe: { readonly at: number; readonly open: readonly string[] };
}

function scan(json: string): Scan {
  const open: string[] = [];
  let inText = false;
  let safe: Scan["safe"] = { at: 0, open: [] };
  for (let at = 0; at < json.length; at++) {
    const character = json.charAt(at);
    if (inText) {
      if (character === "\\") at++;
      else if (character === '"') inText = false;
    } else if (character === '"') inText = true;
    else if (character === "{" || character === "[") {
      // Deeper than any tool's input; a list of all openings per opening would grow with the square.
      if (open.length >= MAX_DEPTH) return { open: [], inText: false, safe };
      open.push(character === "{" ? "}" : "]");
      safe = { at: at + 1, open: [...open] };
    } else if (character === "}" || character === "]") open.pop();
    else if (character === ",") safe = { at, open: [...open] };
  }
  return { open, inText, safe };
}

const MAX_DEPTH = 64;
