/** What a session's markdown tells besides the session itself. */
export interface MarkdownMeta {
  /** Of the raw bytes as the archive keeps them; null where there is no archive of them. */
  readonly sha256: string | null;
  /** The agent's own command that goes on with the session, with its folder: what a person would type. */
  readonly resume: string;
  /** Paths of the log's files, the leading one first; empty where they are not to be told. */
  readonly sources: readonly string[];
  /** Milliseconds since 1970. Left out, the same session gives the same bytes whenever it is rendered. */
  readonly archivedAt?: number;
}
