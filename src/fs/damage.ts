/** Bytes in the archive differ from the bytes that were written. */
export class ArchiveDamage extends Error {
  override readonly name: string = "ArchiveDamage";
  /** The problem in a few words, for lists. */
  readonly what: string;

  constructor(what: string, options?: { readonly cause?: unknown }) {
    super(`The archive is damaged: ${what}`, options);
    this.what = what;
  }
}

/**
 * Bytes in the index differ from the bytes that were written. Thrown deep in a read; `catchDamage` turns it into a
 * value for the caller.
 */
export class IndexDamage extends Error {
  override readonly name: string = "IndexDamage";
}

export interface Damaged {
  readonly kind: "damaged";
  /** The file, and its damage. */
  readonly what: string;
}

/** Runs a read of the index. Damage becomes a value; any other error is thrown. */
export function catchDamage<T>(read: () => T): T | Damaged {
  try {
    return read();
  } catch (error) {
    if (error instanceof IndexDamage) return { kind: "damaged", what: error.message };
    throw error;
  }
}
