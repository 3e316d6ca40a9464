import type { Finding } from "../../src/redact/redact.ts";
import type { LabelledSample, SampleSet } from "./secret-samples.ts";

interface KindQuality {
  readonly kind: string;
  /** Labelled secrets of this kind, and how many of them are covered to the last character. */
  secrets: number;
  covered: number;
  /** Findings told as this kind, and how many of them lie on a labelled secret. */
  findings: number;
  right: number;
  /** Covered, but told as another kind. */
  otherKind: number;
}

interface Mistake {
  readonly sample: string;
  readonly what: "missed" | "false";
  readonly kind: string;
  readonly text: string;
}

export interface Quality {
  readonly kinds: readonly KindQuality[];
  readonly recall: number;
  readonly precision: number;
  readonly secrets: number;
  readonly findings: number;
  readonly lookAlikes: number;
  readonly lookAlikesTouched: number;
  readonly mistakes: readonly Mistake[];
}

/** A finding may take along this much around a secret, such as the `s%3A` before a signed cookie. */
const MAX_EXTRA = 8;

/** Compares what is found with the labels. */
export function measureQuality(set: SampleSet, find: (text: string) => readonly Finding[]): Quality {
  const kinds = new Map<string, KindQuality>();
  const of = (kind: string): KindQuality => {
    const known = kinds.get(kind) ?? { kind, secrets: 0, covered: 0, findings: 0, right: 0, otherKind: 0 };
    kinds.set(kind, known);
    return known;
  };
  const mistakes: Mistake[] = [];
  let touched = 0;
  const judge = (sample: LabelledSample): void => {
    const findings = find(sample.text);
    for (const secret of sample.secrets) {
      const entry = of(secret.kind);
      entry.secrets++;
      const over = findings.find((finding) => finding.start <= secret.start && finding.end >= secret.end);
      if (over === undefined) {
        mistakes.push({ sample: sample.id, what: "missed", kind: secret.kind, text: sample.text });
        continue;
      }
      entry.covered++;
      if (over.kind !== secret.kind) entry.otherKind++;
    }
    for (const finding of findings) {
      const entry = of(finding.kind);
      entry.findings++;
      const inside = sample.secrets.filter(
        (secret) => secret.start < finding.end && finding.start < secret.end,
      );
      const length = inside.reduce((sum, secret) => sum + secret.end - secret.start, 0);
      if (inside.length > 0 && finding.end - finding.start <= length + MAX_EXTRA) {
        entry.right++;
        continue;
      }
      const text = `${sample.text.slice(finding.start, finding.end)}  in  ${sample.text}`;
      mistakes.push({ sample: sample.id, what: "false", kind: finding.kind, text });
    }
    if (sample.secrets.length === 0 && findings.length > 0) touched++;
  };
  for (const sample of set.withSecrets) judge(sample);
  for (const sample of set.lookAlikes) judge(sample);
  const list = [...kinds.values()].sort((a, b) => a.kind.localeCompare(b.kind, "en"));
  const sum = (pick: (entry: KindQuality) => number): number =>
    list.reduce((total, entry) => total + pick(entry), 0);
  const secrets = sum((entry) => entry.secrets);
  const findings = sum((entry) => entry.findings);
  return {
    kinds: list,
    recall: sum((entry) => entry.covered) / secrets,
    precision: sum((entry) => entry.right) / findings,
    secrets,
    findings,
    lookAlikes: set.lookAlikes.length,
    lookAlikesTouched: touched,
    mistakes,
  };
}
