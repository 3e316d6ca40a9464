/**
 * What it costs to answer a query through a MiniSearch that is assembled from postings, as against
 * scoring the postings: `npx tsx test/bench/minisearch-assembly.ts [documents]`.
 */
import process from "node:process";
import MiniSearch from "minisearch";
import { inverseFrequency } from "../../src/search/ranking/scorer.ts";

const documents = Number(process.argv[2] ?? 115_000);
const print = (line: string): void => void process.stdout.write(`${line}\n`);

for (const share of [0.001, 0.01, 0.1, 0.9]) {
  const postings: [number, number][] = [];
  for (let doc = 0; doc < documents; doc++)
    if ((doc * 7919) % 1000 < share * 1000) postings.push([doc, 1 + (doc % 3)]);

  const start = performance.now();
  const documentIds: Record<number, number> = {};
  const fieldLength: Record<number, number[]> = {};
  for (const [doc] of postings) {
    documentIds[doc] = doc;
    fieldLength[doc] = [40 + (doc % 100)];
  }
  const index = MiniSearch.loadJS<{ id: number; text: string }>(
    {
      documentCount: documents,
      nextId: documents,
      documentIds,
      fieldIds: { text: 0 },
      fieldLength,
      averageFieldLength: [90],
      storedFields: {},
      dirtCount: 0,
      index: [["word", { 0: Object.fromEntries(postings) }]],
      serializationVersion: 2,
    },
    { fields: ["text"] },
  );
  const assembled = performance.now();
  const results = index.search("word");
  const searched = performance.now();

  const idf = inverseFrequency(documents, postings.length);
  const scores = new Float64Array(documents);
  const directStart = performance.now();
  for (const [doc, freq] of postings) {
    const length = 40 + (doc % 100);
    scores[doc] = idf * (0.5 + (freq * 2.2) / (freq + 1.2 * (0.3 + (0.7 * length) / 90)));
  }
  const direct = performance.now();
  const [best] = results;
  const isSame = best === undefined || Math.abs((scores[Number(best.id)] ?? 0) - best.score) < 1e-9;
  print(
    [
      `${postings.length} of ${documents} documents:`,
      `assemble ${(assembled - start).toFixed(1)} ms, search ${(searched - assembled).toFixed(1)} ms,`,
      `directly ${(direct - directStart).toFixed(1)} ms, ${isSame ? "same score" : "OTHER SCORE"}`,
    ].join(" "),
  );
}
