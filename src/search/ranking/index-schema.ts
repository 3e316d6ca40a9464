/** Makes what gives each term of a text to a sink, as often as it occurs. Never the empty one. */
export type CreateAnalyzer = (sink: TermSink) => (text: string) => void;

/** What an index is made with. Another version or another table of fields means: build it anew. */
export interface IndexSchema {
  readonly fields: FieldTable;
  readonly analysisVersion: string;
  readonly createAnalyzer: CreateAnalyzer;
}

/** A session has one card; its turns are documents of their own. Each kind is a corpus of its own. */
export type DocumentKind = "card" | "turn";

export interface IndexField {
  readonly kind: DocumentKind;
  readonly name: string;
  /** Weight at query time. */
  readonly boost: number;
  /**
   * Whether its text is kept for snippets and phrases. What the turns keep, the card need not. "apart": not beside
   * the others, so that who opens those does not open it, too; for texts of turns that are long and seldom shown.
   */
  readonly stored: boolean | "apart";
}

/** A field is known by its place in the table: in postings it takes four bits. */
export const MAX_FIELDS = 16;

export type FieldTable = readonly IndexField[];

/** Places of the fields with one of these names, of both kinds, as bits. */
export function fieldBits(fields: FieldTable, names?: readonly string[]): number {
  let bits = 0;
  fields.forEach((field, place) => {
    if (names === undefined || names.includes(field.name)) bits |= 1 << place;
  });
  return bits;
}

/** The table as text: an index that was written with another one is of no use. */
export function describeFields(fields: FieldTable): string {
  return fields.map((field) => `${field.kind}.${field.name} ${field.stored}`).join(", ");
}

/**
 * Takes the terms of texts by numbers that it gave them itself: whoever analyses remembers the numbers of common
 * words, so that these are looked up once and counted from then on.
 */
export interface TermSink {
  numberOf(term: string): number;
  /** The same for a term in ASCII, by its first `length` letters. */
  numberOfLetters(letters: Uint8Array, length: number): number;
  /**
   * The first `count` codes are terms of the text, as often as they occur there: twice the number, plus one for
   * a term that counts once in a text, however often it comes.
   */
  take(codes: Uint32Array, count: number): void;
}
