import type { FieldTable } from "./index-fields.ts";

/** Gives each term of a text to `emit`, in order, as often as it occurs. Never the empty one. */
export type Analyze = (text: string, emit: (term: string) => void) => void;

/** What an index is made with. Another version or another table of fields means: build it anew. */
export interface IndexSchema {
  readonly fields: FieldTable;
  readonly analysisVersion: string;
  readonly analyze: Analyze;
}
