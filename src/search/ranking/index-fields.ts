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
