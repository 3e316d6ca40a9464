import { readFileSync } from "node:fs";
import { keyBlockShapes, privateFooter, privateHeader } from "./key-block-shapes.ts";
import { keyShapes } from "./key-shapes.ts";
import { createSeededRandom, type SeededRandom } from "./seeded-random.ts";
import { makeText } from "./text-shapes.ts";

interface LabelledSecret {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
}

/** A text and the secrets in it; a look-alike has none. */
export interface LabelledSample {
  readonly id: string;
  readonly text: string;
  readonly secrets: readonly LabelledSecret[];
}

export interface SampleSet {
  readonly withSecrets: readonly LabelledSample[];
  readonly lookAlikes: readonly LabelledSample[];
}

interface SetPlan {
  readonly seed: number;
  /** How many carriers each form of key is put into. */
  readonly carriersPerShape: number;
  /** How often a look-alike that holds made-up text is made. */
  readonly fillsPerLookAlike: number;
}

export type SetName = "dev" | "held-out";

const plans: Readonly<Record<SetName, SetPlan>> = {
  dev: { seed: 20_260_114, carriersPerShape: 4, fillsPerLookAlike: 2 },
  "held-out": { seed: 77_001_313, carriersPerShape: 1, fillsPerLookAlike: 1 },
};

const contextKinds: Readonly<Record<string, string>> = {
  "slack-webhook": "slack-webhook",
  "discord-webhook": "discord-webhook",
};

/** The labelled set of fixtures/redact, filled with made-up keys: the same in every run, other keys for another seed. */
export function loadSampleSet(set: SetName, seed?: number): SampleSet {
  const plan = plans[set];
  const random = createSeededRandom(seed ?? plan.seed);
  const withSecrets = readParts(set, "secrets.txt").map((text, index) =>
    fill(text, `secrets ${index + 1}`, random),
  );
  const carriers = readParts(set, "carriers.txt");
  let turn = 0;
  for (const [shape, { name }] of Object.entries(keyShapes)) {
    for (let count = 0; count < plan.carriersPerShape; count++) {
      // Taken in turn, so that every carrier is used about as often as any other.
      const at = turn++ % carriers.length;
      const carrier = (carriers[at] ?? "").replaceAll("«@»", `«${shape}»`).replaceAll("‹@NAME›", name);
      withSecrets.push(fill(carrier, `carrier ${at + 1} ${shape}`, random));
    }
  }
  const lookAlikes: LabelledSample[] = [];
  for (const [file, parts] of [
    [
      "look-alikes",
      readFixture(set, "look-alikes.txt")
        .split("\n")
        .filter((line) => line !== ""),
    ],
    ["look-alike-blocks", readParts(set, "look-alike-blocks.txt")],
  ] as const) {
    for (const [index, part] of parts.entries()) {
      const fills = part.includes("‹") ? plan.fillsPerLookAlike : 1;
      for (let count = 0; count < fills; count++) lookAlikes.push(fill(part, `${file} ${index + 1}`, random));
    }
  }
  return { withSecrets, lookAlikes };
}

function readFixture(set: SetName, file: string): string {
  return readFileSync(new URL(`../../fixtures/redact/${set}/${file}`, import.meta.url), "utf8");
}

function readParts(set: SetName, file: string): readonly string[] {
  return readFixture(set, file)
    .split(/^%%\n/m)
    .map((part) => part.replace(/\n$/, ""));
}

function fill(template: string, id: string, random: SeededRandom): LabelledSample {
  let text = "";
  const secrets: LabelledSecret[] = [];
  let from = 0;
  for (const match of template.matchAll(/«(?:([a-z0-9-]+):)?([a-z0-9-]+)»|‹([a-z0-9-]+)›/g)) {
    text += template.slice(from, match.index);
    from = match.index + match[0].length;
    const [, kind, shape, harmless] = match;
    if (shape === undefined) {
      text += makeHarmless(harmless ?? "", random);
      continue;
    }
    const secret = makeSecret(kind, shape, random);
    secrets.push({ kind: secret.kind, start: text.length, end: text.length + secret.text.length });
    text += secret.text;
  }
  text += template.slice(from);
  if (/[«»‹›]/.test(text)) throw new Error(`Cannot fill "${id}": a mark is left in ${text}`);
  return { id, text, secrets };
}

function makeHarmless(shape: string, random: SeededRandom): string {
  if (shape === "begin-private") return privateHeader;
  if (shape === "end-private") return privateFooter;
  return makeText(shape, random);
}

function makeSecret(
  kind: string | undefined,
  shape: string,
  random: SeededRandom,
): { kind: string; text: string } {
  const known = keyShapes[shape] ?? keyBlockShapes[shape];
  if (known !== undefined) return { kind: kind ?? known.kind, text: known.make(random) };
  const labelled = kind ?? contextKinds[shape];
  if (labelled === undefined) throw new Error(`Cannot label the secret "${shape}": it needs a kind`);
  return { kind: labelled, text: makeText(shape, random) };
}
