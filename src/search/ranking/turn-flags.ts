import type { Context } from "../../session/session.ts";

const contexts: readonly Context[] = ["current", "compacted", "branch", "subagent"];
const CONTEXT_BITS = 3;
const COPIED = 4;

/** Where a turn stands, and whether it was copied from another session, in one small number. */
export function encodeFlags(context: Context, copied: boolean): number {
  return contexts.indexOf(context) | (copied ? COPIED : 0);
}

export function contextOf(flags: number): Context {
  return contexts[flags & CONTEXT_BITS] ?? "current";
}

export function isCopied(flags: number): boolean {
  return (flags & COPIED) !== 0;
}

/** 53 bits: with a million turns, two different ones are taken for the same once in ten thousand indexes. */
export function hashIdentity(identity: string): number {
  let low = 0x9e3779b9;
  let high = 0x85ebca6b;
  for (let i = 0; i < identity.length; i++) {
    const unit = identity.charCodeAt(i);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ unit, 0x5bd1e995);
    high ^= high >>> 15;
  }
  low = Math.imul(low ^ (low >>> 16), 0x45d9f3b);
  high = Math.imul(high ^ (high >>> 13), 0x27d4eb2d);
  // 0 stands for "no identity".
  return ((high ^ (high >>> 16)) & 0x1fffff) * 0x1_0000_0000 + ((low ^ (low >>> 15)) >>> 0) || 1;
}
