import { Buffer } from "node:buffer";
import type { Agent, FoundFile, SessionFiles } from "../../src/agents/agent.ts";

const HEAD_BYTES = 64 * 1024;

/** Groups files that are given as path and text, as `id: role path, role path …`. */
export function groupTexts(format: Agent, texts: Readonly<Record<string, string>>): readonly string[] {
  const files = Object.entries(texts).map(
    ([path, text], i): FoundFile => ({
      path,
      size: Buffer.byteLength(text),
      mtimeMs: 1_000 + i,
      inode: i + 1,
    }),
  );
  const peek = (path: string): Buffer => Buffer.from(texts[path] ?? "").subarray(0, HEAD_BYTES);
  return format.group(files, peek).map(describeGroup);
}

function describeGroup({ agent, id, files }: SessionFiles): string {
  return `${agent} ${id}: ${files.map((file) => `${file.role} ${file.path}`).join(", ")}`;
}
