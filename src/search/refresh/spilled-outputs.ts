import { StringDecoder } from "node:string_decoder";
import type { SessionFile } from "../../agents/agent.ts";
import type { ByteSource } from "../../agents/byte-source.ts";
import type { CollectWords } from "../../session/text-budget.ts";

/** Tool output that an agent wrote to files next to the log, because it was long. */
export interface SpilledOutputs {
  /** Identifies a state of these files, without reading them. */
  markOf(paths: readonly string[]): string;
  /** Their different words, without secrets. */
  wordsOf(paths: readonly string[]): string;
}

/** Only the beginning of longer output is indexed. */
const MAX_CHARS = 8 * 1024 * 1024;

/** Files are found by their names, since the log may have been moved. */
export function spilledOutputs(
  source: ByteSource,
  files: readonly SessionFile[],
  collectWords: CollectWords,
): SpilledOutputs {
  const byName = new Map<string, SessionFile>();
  for (const file of files) if (file.role === "spilled") byName.set(nameOf(file.path), file);
  const filesAt = (paths: readonly string[]): readonly SessionFile[] =>
    [...new Set(paths.map(nameOf))].flatMap((name) => byName.get(name) ?? []);
  return {
    markOf: (paths) =>
      filesAt(paths)
        .map(({ path, size, mtimeMs }) => `${nameOf(path)} ${size} ${mtimeMs}`)
        .join("\n"),
    wordsOf: (paths) =>
      filesAt(paths)
        .map(({ path }) => collectWords(readText(source, path), 0))
        .join(" "),
  };
}

function nameOf(path: string): string {
  return path.split(/[/\\]/).at(-1) ?? path;
}

/** The readable part of a file: an agent may remove it at any time. */
function readText(source: ByteSource, path: string): string {
  const decoder = new StringDecoder("utf8");
  let text = "";
  try {
    for (const chunk of source.chunks(path)) {
      text += decoder.write(chunk);
      if (text.length >= MAX_CHARS) break;
    }
  } catch {
    // `doctor` reports what can't be read.
  }
  return text;
}
