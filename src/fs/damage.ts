/** Bytes that are not what was put into the archive. */
export class ArchiveDamage extends Error {
  override readonly name: string = "ArchiveDamage";
  /** In a few words: for lists of problems. */
  readonly what: string;

  constructor(what: string, options?: { readonly cause?: unknown }) {
    super(`The archive is damaged: ${what}`, options);
    this.what = what;
  }
}

/**
 * Bytes of the index are not what was written. Thrown where it is noticed, deep in a read; turned
 * into the value `{ kind: "damaged" }` where a caller of the index asked for something.
 */
export class IndexDamage extends Error {
  override readonly name: string = "IndexDamage";
}

export interface Damaged {
  readonly kind: "damaged";
  /** Which file, and what is wrong with it. */
  readonly what: string;
}

/** Runs what reads the index. Only damage becomes a value: anything else is a bug or a circumstance. */
export function catchDamage<T>(read: () => T): T | Damaged {
  try {
    return read();
  } catch (error) {
    if (error instanceof IndexDamage) return { kind: "damaged", what: error.message };
    throw error;
  }
}
