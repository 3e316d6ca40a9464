import type { Token } from "./token.ts";

/** How a token hangs together with the one before it. */
export const FIRST = 0;
/** The next name of the same path. */
export const NEXT = 1;
/** The last two names of a path, once more, as one. */
export const PAIR = 2;
/** Two letters of a dense script: the first ones of their run, later ones. */
export const DENSE_FIRST = 3;
export const DENSE_NEXT = 4;
/** The last letter of a run, once more, alone; and a letter that is the whole run. */
export const DENSE_LAST = 5;
export const DENSE_ONLY = 6;

/** Gets every token with its place in the text; true ends the scan. */
export type Visit = (token: Token, start: number, end: number, link: number) => boolean;
