import { findPiCut } from "./pi-cut.ts";
import { type CurrentSystem, currentSystem } from "./pi-system.ts";
import { piContextTokens } from "./pi-tokens.ts";
import { type PiEntry, type PiLoaded, piContext, piPath } from "./pi-trail.ts";

export interface PiCompactionRule {
  readonly keepRecentTokens: number;
  /** Set where only a context beyond this is to be compacted. */
  readonly onlyBeyondTokens: number | null;
}

/** What a compaction of a Pi log would summarise, and what it would keep. */
export interface PiPreparation {
  /** Entries whose words go into the summary, and those of a turn whose end is kept. */
  readonly history: readonly PiLoaded[];
  readonly turnPrefix: readonly PiLoaded[];
  readonly firstKept: PiEntry;
  /** What the new entry hangs on. */
  readonly leaf: PiEntry;
  readonly tokensBefore: number;
  readonly earlier: string | null;
  readonly readFiles: readonly string[];
  readonly modifiedFiles: readonly string[];
  readonly system: CurrentSystem | undefined;
}

/** What is to be done, or why nothing is, as a sentence without its full stop. */
export function preparePiCompaction(
  entries: readonly PiEntry[],
  rule: PiCompactionRule,
): PiPreparation | { readonly nothing: string } {
  const path = piPath(entries);
  const leaf = path.at(-1);
  if (leaf === undefined) return { nothing: "it has no entries" };
  if (leaf.says.kind === "compaction") return { nothing: "nothing was said since its last compaction" };
  const context = piContext(path);
  const tokensBefore = piContextTokens(context, path);
  const { onlyBeyondTokens, keepRecentTokens } = rule;
  if (onlyBeyondTokens !== null && tokensBefore <= onlyBeyondTokens)
    return { nothing: `its context of ${tokensBefore} tokens is not beyond ${onlyBeyondTokens}` };
  const previous = context[0]?.message;
  const earlier = previous?.kind === "compaction" ? previous : undefined;
  const from = earlier === undefined ? 0 : 1;
  const { keptFrom, splitTurnFrom } = findPiCut(context, from, keepRecentTokens);
  const firstKept = context[keptFrom]?.entry;
  const history = context.slice(from, splitTurnFrom ?? keptFrom).filter(isSummarised);
  const turnPrefix =
    splitTurnFrom === null ? [] : context.slice(splitTurnFrom, keptFrom).filter(isSummarised);
  if (firstKept === undefined || history.length + turnPrefix.length === 0)
    return { nothing: `nothing stands before the last ${keepRecentTokens} tokens that it keeps` };
  return {
    ...{ history, turnPrefix, firstKept, leaf, tokensBefore },
    earlier: earlier?.summary ?? null,
    ...fileLists([
      ...(earlier === undefined ? [] : [earlier.files]),
      ...filesOf([...history, ...turnPrefix]),
    ]),
    system: currentSystem(context),
  };
}

/** System messages are the prompt, not the conversation: the compaction carries them on as they are. */
function isSummarised({ message }: PiLoaded): boolean {
  return message?.kind === "message" && message.role !== "system";
}

function filesOf(loaded: readonly PiLoaded[]): readonly FileUse[] {
  return loaded.flatMap(({ message }) => (message === undefined ? [] : [message.files]));
}

type FileUse = NonNullable<PiLoaded["message"]>["files"];

function fileLists(uses: readonly FileUse[]): Pick<PiPreparation, "readFiles" | "modifiedFiles"> {
  const modified = new Set(uses.flatMap((use) => use.modified));
  const read = new Set(uses.flatMap((use) => use.read));
  return {
    readFiles: [...read].filter((path) => !modified.has(path)).sort(),
    modifiedFiles: [...modified].sort(),
  };
}
