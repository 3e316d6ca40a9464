import { exitCodes, UserError } from "../../errors.ts";
import { estimateContext } from "../../extract/context-estimate.ts";
import { planAppend, planEdits } from "../../jsonl/rewrite-plan.ts";
import { cleanText } from "../../redact/clean-text.ts";
import { maskDeep } from "../../redact/mask-deep.ts";
import { createRedactor } from "../../redact/redact.ts";
import type { Session } from "../../session/session.ts";
import type { CompactionPlan, CompactionWish } from "../compaction.ts";
import type { CompactorInput } from "../compactors.ts";
import { readPlanned } from "../read-planned.ts";
import { compactionLine } from "./compaction-line.ts";
import { type PiCompactionRule, type PiPreparation, preparePiCompaction } from "./pi-compaction.ts";
import { piSummary } from "./pi-summary.ts";
import type { PiLoaded } from "./pi-trail.ts";
import { readPiEntries } from "./read-pi-entries.ts";
import { type PiTrail, readPiTrail, type TrailEntry } from "./read-trail.ts";

const KEEP_RECENT = 20_000;
const RESERVE = 16_384;
const CONTEXT_WINDOW = 200_000;

/** Appends a compaction, as Pi itself would: nothing is removed from the log. */
export function compactPi(input: CompactorInput): CompactionPlan {
  const { library, files, snapshot, wish } = input;
  const trail = readPiTrail(snapshot.chunks());
  if (trail.version === undefined) {
    throw new UserError(
      `Cannot compact session ${files.id}: its log has no header, so Pi would not load it`,
      {
        exitCode: exitCodes.refused,
      },
    );
  }
  const before = estimateContext(readPlanned(library, files, snapshot, undefined));
  const prepared = preparePiCompaction(trail.entries, ruleOf(wish));
  if ("nothing" in prepared) {
    const plan = planEdits([], snapshot.mark.size);
    return { plan, before, after: before, shrunk: [], nothing: prepared.nothing };
  }
  const line = newLine(input, trail, prepared);
  // What is appended meanwhile would stand on a branch that nobody goes on with: better do it again.
  const plan = planAppend(line, snapshot.mark.size, "give-up");
  const after = estimateContext(readPlanned(library, files, snapshot, plan));
  return { plan, before, after, shrunk: [], nothing: null };
}

function ruleOf(wish: CompactionWish): PiCompactionRule {
  const window = wish.contextWindow ?? CONTEXT_WINDOW;
  return {
    keepRecentTokens: wish.keepRecent ?? KEEP_RECENT,
    onlyBeyondTokens: wish.auto ? window - (wish.reserve ?? RESERVE) : null,
  };
}

function newLine(
  { library, files, snapshot }: CompactorInput,
  trail: PiTrail,
  prepared: PiPreparation,
): Uint8Array {
  const firstKept = named(trail, prepared.firstKept.id, files.id);
  const leaf = named(trail, prepared.leaf.id, files.id);
  const { redact } = createRedactor({ extra: library.config.redact });
  const mask = <T>(value: T): T => maskDeep(maskDeep(value, cleanText), redact);
  const read = (loaded: readonly PiLoaded[]): Session | null =>
    loaded.length === 0 ? null : mask(readPiEntries(snapshot.chunks, trail, loaded));
  const details = { readFiles: prepared.readFiles, modifiedFiles: prepared.modifiedFiles };
  const summary = piSummary({
    history: read(prepared.history),
    turnPrefix: read(prepared.turnPrefix),
    earlier: prepared.earlier === null ? null : redact(prepared.earlier),
    files: details,
  });
  const { tokensBefore, system } = prepared;
  return compactionLine(trail, {
    summary,
    firstKept,
    leaf,
    tokensBefore,
    details,
    system,
    now: library.now(),
  });
}

/** The new entry must name it: relatives of Pi leave some entries without a name. */
function named(trail: PiTrail, id: string, session: string): TrailEntry {
  const entry = trail.entries.findLast((each) => each.id === id);
  if (entry?.isNamed === true) return entry;
  throw new UserError(`Cannot compact session ${session}: an entry that the compaction must name has no id`, {
    exitCode: exitCodes.refused,
    hint: "it was not written by Pi itself",
  });
}
