import process from "node:process";
import { createRedactor } from "../../src/redact/redact.ts";
import { measureQuality, type Quality } from "../support/redact-quality.ts";
import { loadSampleSet, type SetName } from "../support/secret-samples.ts";

/**
 * Prints precision and recall of the masking, per kind and in all, for the set it was made with; with `--held-out` for
 * the set that was kept aside, with `--mistakes` also every text it got wrong.
 */
const set: SetName = process.argv.includes("--held-out") ? "held-out" : "dev";
const samples = loadSampleSet(set);
const quality = measureQuality(samples, createRedactor().find);
process.stdout.write(table(quality));
if (process.argv.includes("--mistakes")) {
  for (const { sample, what, kind, text } of quality.mistakes)
    process.stdout.write(`\n${what} ${kind} [${sample}]\n  ${text}\n`);
}

function table(result: Quality): string {
  const percent = (part: number, whole: number): string =>
    whole === 0 ? "-" : `${((100 * part) / whole).toFixed(1)} %`;
  const rows = result.kinds.map((entry) => [
    entry.kind,
    String(entry.secrets),
    percent(entry.covered, entry.secrets),
    String(entry.findings),
    percent(entry.right, entry.findings),
    entry.otherKind === 0 ? "" : String(entry.otherKind),
  ]);
  const head = ["kind", "secrets", "recall", "findings", "precision", "told as another kind"];
  const lines = [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`);
  const { secrets, findings, lookAlikes, lookAlikesTouched, recall, precision } = result;
  return [
    ...lines,
    "",
    `${set}: ${secrets} secrets of ${rows.filter((row) => row[1] !== "0").length} kinds, ${lookAlikes} look-alikes (${lookAlikesTouched} touched), ${findings} findings`,
    `recall ${(100 * recall).toFixed(2)} %, precision ${(100 * precision).toFixed(2)} %`,
    "",
  ].join("\n");
}
