import type { Buffer } from "node:buffer";
import { type Rehoming, rehomingOf } from "../agents/rehome.ts";
import { rewriteStrings } from "../jsonl/rewrite-strings.ts";
import type { KeptFile, KeptSession } from "./archive-store.ts";

/** A session on its way into another project. */
export interface SessionMove {
  readonly from: string;
  readonly to: string;
}

/** Logs name the project in their lines; other files do not. */
const ADAPTED_ROLES: ReadonlySet<string> = new Set(["main", "rotation", "subagent"]);

/** The project that an archived session is of; undefined where its lines name none. */
export function projectOfKept(kept: KeptSession): string | undefined {
  const [lead] = kept.files;
  if (lead === undefined) return undefined;
  const rehoming = rehomingOf(kept.agent);
  const within = lead.root === null ? lead.path : lead.path.slice(lead.root.length + 1);
  let first: string | undefined;
  let match: string | undefined;
  const look = (value: string): undefined => {
    first ??= value;
    if (match === undefined && (rehoming.isOf === undefined || rehoming.isOf(within, value))) match = value;
    return undefined;
  };
  for (const _ of rewriteStrings(kept.read(lead), { ...shapeOf(rehoming, lead), replace: look })) {
    // The session may have gone elsewhere later; its folder is named after where it is at home.
    if (match !== undefined) break;
  }
  return match ?? first;
}

/** The bytes of a file with the project's folder replaced wherever its lines name it; all else as it was. */
export function* rehomed(
  kept: KeptSession,
  file: KeptFile,
  { from, to }: SessionMove,
  onChange: () => void = () => undefined,
): Generator<Uint8Array, void, void> {
  if (!ADAPTED_ROLES.has(file.role)) {
    yield* kept.read(file);
    return;
  }
  const rehoming = rehomingOf(kept.agent);
  let isFirst = true;
  const replace = (value: string): string | undefined => {
    if (rehoming.onlyFirst === true && !isFirst) return undefined;
    isFirst = false;
    const moved = moveInto(value, from, to);
    if (moved !== undefined) onChange();
    return moved;
  };
  yield* rewriteStrings(kept.read(file), { ...shapeOf(rehoming, file), replace });
}

function shapeOf({ keys }: Rehoming, { path }: KeptFile): { at: Rehoming["keys"]; lines: boolean } {
  return { at: keys, lines: !path.endsWith(".json") };
}

/** A path at or below the old folder; others are none of the project's. */
function moveInto(value: string, from: string, to: string): string | undefined {
  if (from === to) return undefined;
  if (value === from) return to;
  const rest = value.slice(from.length);
  return value.startsWith(from) && /^[/\\]/.test(rest) ? to + rest : undefined;
}

/** Joins small parts: every part is a call to the disk. */
export function* inBlocks(parts: Iterable<Uint8Array>, block: Buffer): Generator<Uint8Array, void, void> {
  let filled = 0;
  for (const part of parts) {
    for (let taken = 0; taken < part.length; ) {
      const take = Math.min(part.length - taken, block.length - filled);
      block.set(part.subarray(taken, taken + take), filled);
      filled += take;
      taken += take;
      if (filled === block.length) {
        yield block;
        filled = 0;
      }
    }
  }
  if (filled > 0) yield block.subarray(0, filled);
}
