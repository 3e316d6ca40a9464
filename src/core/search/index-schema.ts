import type { FieldTable } from "./index-fields.ts";
import type { TermSink } from "./term-sink.ts";

/** Gives each term of a text to the sink, as often as it occurs. Never the empty one. */
export type Analyze = (text: string, sink: TermSink) => void;

/** What an index is made with. Another version or another table of fields means: build it anew. */
export interface IndexSchema {
  readonly fields: FieldTable;
  readonly analysisVersion: string;
  readonly analyze: Analyze;
}
