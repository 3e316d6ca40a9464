/**
 * An agent may work for hours on one request: a document of all that would have every word, side by side with
 * every other. Texts are not cut, or phrases would be.
 */
export const PASSAGE_CHARS = 12_000;
