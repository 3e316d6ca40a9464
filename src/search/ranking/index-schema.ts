import type { FieldTable } from "./index-fields.ts";
import type { TermSink } from "./term-sink.ts";

/** Makes what gives each term of a text to a sink, as often as it occurs. Never the empty one. */
export type CreateAnalyzer = (sink: TermSink) => (text: string) => void;

/** What an index is made with. Another version or another table of fields means: build it anew. */
export interface IndexSchema {
  readonly fields: FieldTable;
  readonly analysisVersion: string;
  readonly createAnalyzer: CreateAnalyzer;
}
