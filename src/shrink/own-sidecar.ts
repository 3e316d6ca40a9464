import type { Buffer } from "node:buffer";
import { actionsOf } from "../agents/actions.ts";
import type { LogFiles } from "../agents/agent.ts";
import type { BulkyBlock, BulkyFinder, BulkyOptions } from "../agents/bulky-block.ts";
import { textBlock } from "../agents/bulky-block.ts";
import { resultPlaces } from "../agents/flattened-line.ts";
import type { LogSnapshot } from "../agents/log-snapshot.ts";
import type { Library } from "../fs/library.ts";
import { type RawLine, rawLines } from "../jsonl/lines.ts";
import { changesNothing, type RewritePlan, rewrittenBytes } from "../jsonl/rewrite-plan.ts";
import type { AgentName } from "../session/entry.ts";
import { openSidecar, type Sidecar } from "./open-sidecar.ts";
import { pastLogs } from "./past-logs.ts";
import { carryOver } from "./plan-flatten.ts";
import { planUnflatten } from "./plan-unflatten.ts";
import { firstReadableSidecar, relativesOf } from "./relatives.ts";
import { type RewriteOptions, secureLog } from "./rewrite-session.ts";
import { createSidecar, type NewBlock, type SidecarBuilder, sidecarPath, writeSidecar } from "./sidecar.ts";
import { hashOfLine } from "./sidecar-lines.ts";
import { withDraft } from "./with-draft.ts";

/** The outcome for a log that has markers. */
export interface OwnSidecar {
  /** The log's own sidecar; undefined if it has none, because nothing of it was found. */
  readonly sidecar: Sidecar | undefined;
  /** Markers whose results the sidecar does not have, because they were not found. */
  readonly missing: number;
}

/**
 * Gives a flattened log its own sidecar with the results of all its markers. The markers of a copy, or of a fork by the
 * agent, refer to results that are stored under another log's name and would be lost with that log. The log itself is not
 * changed. Requires the store's lock.
 */
export async function giveOwnSidecar(
  library: Library,
  files: LogFiles,
  snapshot: LogSnapshot,
  options: Pick<RewriteOptions, "markdown">,
): Promise<OwnSidecar> {
  const { disk, places } = library;
  const { agent } = files;
  const path = sidecarPath(places.flat, files);
  const own = openSidecar(disk, path);
  const alone = planUnflatten(agent, snapshot, { sidecar: own, archived: () => [] });
  // A damaged sidecar is not replaced: `unflatten` can still use its undamaged parts.
  if (alone.missing.length === 0 || (own !== undefined && own.damage !== null))
    return { sidecar: own, missing: alone.missing.length };
  const relatives = relativesOf(library, files, snapshot);
  const lent = own ?? firstReadableSidecar(library, relatives);
  const { plan, missing } = planUnflatten(agent, snapshot, {
    sidecar: lent,
    isLent: own === undefined,
    archived: () => pastLogs(library, [files, ...relatives]),
  });
  if (changesNothing(plan)) return { sidecar: own, missing: missing.length };
  // The sidecar is named after the log: from now on the store knows it, wherever it is moved to.
  secureLog(library, files, snapshot, options);
  await withDraft(library, path, rewrittenBytes(plan, snapshot.chunks()), (draft) => {
    const builder = createSidecar(draft.parts);
    const smallest = addLines(agent, builder, snapshot, draft, plan);
    if (own !== undefined) carryOver(builder, own, own.index.lines);
    const rule: BulkyOptions = lent?.index ?? { minBytes: Math.max(0, smallest - 1), copies: true };
    const original = { size: draft.mark.size, sha256: draft.sha256() };
    const { minBytes, copies } = rule;
    writeSidecar(library, files, snapshot.path, { builder, original, rule: { minBytes, copies } });
  });
  return { sidecar: openSidecar(disk, path), missing: missing.length };
}

/** A value that is put back: where its marker is in the log, and where it is in the draft. */
interface PutBack {
  readonly from: number;
  readonly to: number;
  readonly draftFrom: number;
  readonly draftTo: number;
}

function* putBacks({ pieces, plannedTo }: RewritePlan): Generator<PutBack, void, void> {
  let at = 0;
  let out = 0;
  let last: Omit<PutBack, "to"> | undefined;
  for (const piece of pieces) {
    if (piece.kind === "keep") {
      if (last !== undefined) yield { ...last, to: piece.from };
      last = undefined;
      at = piece.to;
      out += piece.to - piece.from;
    } else {
      const length = piece.kind === "put" ? piece.bytes.length : piece.length;
      last = { from: at, draftFrom: out, draftTo: out + length };
      out += length;
    }
  }
  if (last !== undefined) yield { ...last, to: plannedTo };
}

/** Adds an entry for every line with something to put back; the size of the smallest block. */
function addLines(
  agent: AgentName,
  builder: SidecarBuilder,
  log: LogSnapshot,
  draft: LogSnapshot,
  plan: RewritePlan,
): number {
  const finder = actionsOf(agent).flattening?.finder({ minBytes: -1, copies: false }) ?? (() => []);
  const flatLines = rawLines(log.chunks());
  const places = putBacks(plan);
  let place = places.next();
  let smallest = Number.POSITIVE_INFINITY;
  for (const original of rawLines(draft.chunks())) {
    const flat = flatLines.next();
    if (flat.done === true) break;
    const describe = describer(agent, original, finder);
    const { offset, bytes } = flat.value;
    const spans: { at: number; length: number; block: number }[] = [];
    for (; place.done !== true && place.value.from < offset + bytes.length; place = places.next()) {
      const { from, to, draftFrom, draftTo } = place.value;
      const block = describe(draftFrom - original.offset, draftTo - original.offset);
      if (!block.isCopy) smallest = Math.min(smallest, block.bytes);
      const number = builder.add(block, { from: draftFrom, to: draftTo });
      spans.push({ at: from - offset, length: to - from, block: number });
    }
    if (spans.length > 0) builder.line({ offset, sha256: hashOfLine(bytes), spans });
  }
  return smallest;
}

/** Describes the value at a place of a line. Every line must be given to the finder, in order, because it counts. */
function describer(
  agent: AgentName,
  { bytes }: RawLine,
  finder: BulkyFinder,
): (from: number, to: number) => NewBlock {
  const blocks = finder(bytes);
  const byStart = new Map(blocks.map((block): [number, BulkyBlock] => [block.span.start, block]));
  return (from, to) => {
    const raw = bytes.subarray(from, to);
    const found = byStart.get(from);
    const content = found?.content ?? copyContent(agent, bytes, from, to, blocks);
    return {
      ...content,
      file: content.file ?? null,
      isCopy: found === undefined,
      length: raw.length,
      sha256: hashOfLine(raw),
    };
  };
}

/** A string or a list in the copy of a result, in the form that `flatten` uses. */
function copyContent(
  agent: AgentName,
  bytes: Buffer,
  start: number,
  end: number,
  blocks: readonly BulkyBlock[],
): BulkyBlock["content"] {
  const place = resultPlaces(agent, bytes).find(({ span }) => span.start <= start && end <= span.end);
  const toolUseId = place?.toolUseId ?? "";
  const known = blocks.find(({ content }) => content.toolUseId === toolUseId)?.content;
  const call = { toolUseId, tool: known?.tool ?? "", file: known?.file };
  const isText = bytes[start] === 0x22;
  return isText
    ? textBlock(bytes, { kind: "string", start, end }, call, 1).content
    : { ...call, kind: "text", mediaType: null, bytes: end - start, lines: 0, number: 1 };
}
