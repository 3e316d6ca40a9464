import { Buffer } from "node:buffer";

const OFFSET = 0xcbf29ce484222325n;
const PRIME = 0x100000001b3n;

/** The name of a workspace's folder below claw-code's `sessions`: FNV-1a over its path, 64 bits in hex. */
export function workspaceFingerprint(path: string): string {
  let hash = OFFSET;
  for (const byte of Buffer.from(path)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * PRIME);
  return hash.toString(16).padStart(16, "0");
}
