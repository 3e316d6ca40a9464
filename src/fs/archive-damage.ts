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
