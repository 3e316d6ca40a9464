import type { IndexField, IndexSchema } from "../../../src/search/ranking/index-schema.ts";

const fields: readonly IndexField[] = [
  { kind: "card", name: "title", boost: 3, stored: true },
  { kind: "card", name: "requests", boost: 1, stored: false },
  { kind: "turn", name: "request", boost: 2, stored: true },
  { kind: "turn", name: "reply", boost: 1, stored: true },
  { kind: "turn", name: "errors", boost: 0.5, stored: true },
  { kind: "turn", name: "output", boost: 0.25, stored: "apart" },
];

/** Words are what stands between spaces, as they are. */
export const smallSchema: IndexSchema = {
  fields,
  analysisVersion: "test",
  createAnalyzer: (sink) => (text) => {
    const words = text.split(/\s+/).filter((word) => word !== "");
    for (const word of words) sink.add(sink.idOf(word, false), 1);
  },
};
