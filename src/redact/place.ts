import { isStrongKey, isStrongPassword } from "./randomness.ts";

/** A secret without a name or flag, recognized by the command, call or record around it. */
export interface Place {
  /** The rarest literal part of the pattern: the scanner stops here. */
  readonly sign: string;
  readonly kind: string;
  /** Tried at the sign; may use a lookbehind. The first group is the secret; a group `name` must name a secret. */
  readonly pattern: RegExp;
  readonly confirm?: (secret: string) => boolean;
  /** For a sign of one character: only if one of these follows. */
  readonly before?: string;
  /** The secret is made of dictionary words, so `sample` or `hidden` in it does not mean a placeholder. */
  readonly isWords?: boolean;
}

export const QUOTE: string = String.raw`\\{0,3}["']?`;
/** A word of a command, in quotes or not. */
export const SHELL_WORD: string = String.raw`${QUOTE}[^\s"'\\|;]{1,80}${QUOTE}`;
export const PASSWORD: string = String.raw`${QUOTE}([^\s"'\\|<>;$-][^\s"'\\|<>;]{3,127})`;
export const STRING: string = String.raw`["'][^"'\n]{0,200}["']`;
export const PASSWORD_STRING: string = String.raw`["']([^"'\n]{4,128})["']`;
/** A string or the name of a variable. */
export const ARGUMENT: string = String.raw`(?:${STRING}|[\w.$>-]{1,60})`;
export const COMMA: string = String.raw`\s{0,8},\s{0,8}(?:\w{1,20}\s?=\s?)?`;

/** Letters, a digit, and a capital or punctuation among them: not a word that could be there otherwise. */
export function isMixed(text: string): boolean {
  return /\d/.test(text) && /[A-Za-z]{2}/.test(text) && /[^\w:/-]|[a-z].*[A-Z]|[A-Z].*[a-z]/.test(text);
}

/** Only a password or a key looks like that. */
export function isStrong(text: string): boolean {
  return isStrongPassword(text) || isStrongKey(text);
}

export function place(
  sign: string,
  source: string,
  { flags = "", ...options }: Partial<Place> & { readonly flags?: string } = {},
): Place {
  return { sign, kind: "password", pattern: new RegExp(source, `dy${flags}`), ...options };
}
