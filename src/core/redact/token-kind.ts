/** A key that can be told by itself, wherever it stands. */
export interface TokenKind {
  readonly kind: string;
  /**
   * How such keys begin: what decides which patterns are tried at all. Mostly it is the beginning of a run of key
   * characters; where it ends in `.`, `:` or `/` it stands right before the run.
   */
  readonly anchors: readonly string[];
  /** Tried where the anchor stands. Every part is bounded, so that no text makes it slow. */
  readonly pattern: RegExp;
  /** What must stand before the anchor and belongs to the key; looked for in the 40 characters before it. */
  readonly lead?: RegExp;
  /** `none` where the anchor would tell nobody anything. */
  readonly shown?: "anchor" | "none";
  /** Nothing but such a key has this form: that its letters look like words is chance. */
  readonly certain?: boolean;
  /** The anchor is so short that it also begins parts of names (`flask-key-…`): only where a run begins. */
  readonly strict?: boolean;
}

/** The commonest form: a fixed beginning, then so many characters of one class. */
export function begun(
  kind: string,
  anchors: string,
  body: string,
  options: Partial<TokenKind> = {},
): TokenKind {
  const list = anchors.split(" ");
  const beginnings = list.map((anchor) => anchor.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")).join("|");
  return {
    kind,
    anchors: list,
    pattern: new RegExp(`(?:${beginnings})${body}(?![A-Za-z0-9])`, "y"),
    ...options,
  };
}
