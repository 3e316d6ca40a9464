/** A key that can be told by itself, wherever it stands. */
export interface TokenKind {
  readonly kind: string;
  /**
   * How such keys begin: what decides which patterns are tried at all. Mostly it is the beginning of a run of key
   * characters; where it ends in `.`, `:`, `/` or `~` it stands right before the run.
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
  /** An id that is no secret by itself, but has its secret beside it. */
  readonly isPublic?: boolean;
  /** The kind of the secret half that mostly follows, which has no form of its own but its length. */
  readonly beside?: { readonly kind: string; readonly secret: RegExp };
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

/** The secret half behind an id: a few signs, a name perhaps, then so many characters. Its last group is the secret. */
export function besidePattern(secret: string, other: string): RegExp {
  return new RegExp(
    `[\\s,;|"'\`:=<>/]{1,12}(?:[\\s\\w.<>/-]{0,80}[\\s,;|"'\`:=>]{1,12})?(?<=^|${other})(${secret})(?=$|${other})`,
    "y",
  );
}

export const awsSecret: NonNullable<TokenKind["beside"]> = {
  kind: "aws-secret-key",
  secret: besidePattern("[A-Za-z0-9+/]{40}", "[^A-Za-z0-9+/=]"),
};
