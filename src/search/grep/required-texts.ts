import type { PatternNode, PatternSequence } from "../../fs/pattern-syntax.ts";

/** Which characters may be looked for before a text is decoded. */
export type MayKeep = (character: string) => boolean;

/** Bytes that make looking for a text worth it. */
const SHORTEST = 3;
/** More tells nothing more. */
const LONGEST = 48;
/** Looking for more texts than this costs more than reading everything. */
const MOST = 12;

/**
 * Texts of which every match of the pattern holds at least one, made only of characters that may be kept;
 * none where there are no such texts.
 */
export function requiredTexts(branches: readonly PatternSequence[], mayKeep: MayKeep): readonly string[] {
  return ofBranches(branches, mayKeep) ?? [];
}

function ofBranches(branches: readonly PatternSequence[], mayKeep: MayKeep): readonly string[] | undefined {
  const texts = new Set<string>();
  for (const branch of branches) {
    const found = ofSequence(branch, mayKeep);
    if (found === undefined) return undefined;
    for (const text of found) texts.add(text);
  }
  return texts.size > MOST ? undefined : [...texts];
}

function ofSequence(nodes: PatternSequence, mayKeep: MayKeep): readonly string[] | undefined {
  let best: readonly string[] | undefined;
  /** Characters that stand side by side in every match. */
  let run = "";
  const offer = (texts: readonly string[] | undefined): void => {
    if (texts !== undefined && (best === undefined || worthOf(texts) > worthOf(best))) best = texts;
  };
  const endRun = (next = ""): void => {
    if (bytesIn(run) >= SHORTEST) offer([run]);
    run = next;
  };
  const take = (node: PatternNode): void => {
    switch (node.kind) {
      case "text":
        if (!mayKeep(node.text)) endRun();
        else if (run.length < LONGEST) run += node.text;
        else endRun(node.text);
        return;
      case "nothing":
      case "look":
        return;
      case "some":
      case "unknown":
        endRun();
        return;
      case "group": {
        const [only] = node.branches;
        if (node.branches.length === 1 && only !== undefined) only.forEach(take);
        else {
          endRun();
          offer(ofBranches(node.branches, mayKeep));
        }
        return;
      }
      case "repeat":
        takeRepeat(node);
    }
  };
  const takeRepeat = ({ node, min, max }: Extract<PatternNode, { kind: "repeat" }>): void => {
    if (min === 0) {
      endRun();
      return;
    }
    if (node.kind === "text" && mayKeep(node.text)) {
      // The first stands beside what comes before, the last beside what follows.
      for (let times = 0; times < Math.min(min, LONGEST); times++) take(node);
      if (max !== min || min > LONGEST) endRun(node.text);
      return;
    }
    endRun();
    if (node.kind === "group") offer(ofBranches(node.branches, mayKeep));
  };
  nodes.forEach(take);
  endRun();
  return best;
}

/** The shortest decides how much is sifted out; of equals the fewest. */
function worthOf(texts: readonly string[]): number {
  return Math.min(...texts.map(bytesIn)) - texts.length / (MOST + 1);
}

function bytesIn(text: string): number {
  let bytes = 0;
  for (const char of text) {
    const point = char.codePointAt(0) ?? 0;
    bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  }
  return bytes;
}

/** Choices that may be taken back: their combinations double with each. */
const MOST_CHOICES = 12;

/** Can a match never take long, whatever the text? Only repetitions can make an engine try again and again. */
export function isQuick(branches: readonly PatternSequence[]): boolean {
  let choices = 0;
  const look = (node: PatternNode): boolean => {
    switch (node.kind) {
      case "text":
      case "some":
      case "nothing":
        return true;
      case "look":
      case "unknown":
        return false;
      case "group":
        choices += node.branches.length - 1;
        return node.branches.every((branch) => branch.every(look));
      case "repeat":
        choices++;
        if (node.max <= 1) return look(node.node);
        return (
          node.min === node.max && node.max < 100 && (node.node.kind === "text" || node.node.kind === "some")
        );
    }
  };
  return branches.every((branch) => branch.every(look)) && choices <= MOST_CHOICES;
}
