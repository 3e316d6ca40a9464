/**
 * What Pi loads of a log, by the rule of its own code (1.5.0), written down a second time and without ours: the
 * answers of Pi itself in fixtures/pi/library prove it.
 */
// biome-ignore lint/suspicious/noExplicitAny: lines are taken as Pi takes them, unchecked.
type Json = any;

export interface LoadedPi {
  /** Indexes of the entries that are loaded, in their order, among the lines that can be read; the header is 0. */
  readonly context: readonly number[];
  readonly last: Json;
}

/** Throws where Pi would not load the file. */
export function loadPi(text: string): LoadedPi {
  const lines: Json[] = [];
  for (const line of text.split("\n")) {
    const value = parse(line);
    if (value) lines.push(value);
  }
  const [header, ...entries] = lines;
  if (header?.type !== "session" || typeof header.id !== "string") throw new Error("Pi does not load this");
  if ((header.version ?? 1) < 2) nameEntries(lines);
  const byId = new Map<string, Json>(entries.map((entry) => [entry.id, entry]));
  const path: Json[] = [];
  for (
    let entry = entries.at(-1);
    entry !== undefined;
    entry = entry.parentId ? byId.get(entry.parentId) : undefined
  )
    path.unshift(entry);
  const chosen = choose(path);
  const edits = new Map<string, Json>();
  for (const entry of chosen) if (entry.type === "context_edit") edits.set(entry.targetId, entry);
  const isLoaded = (entry: Json, at: number): boolean =>
    edits.get(entry.id)?.replacement !== null &&
    (entry.type === "message" ||
      entry.type === "custom_message" ||
      (entry.type === "branch_summary" && entry.summary !== "") ||
      (entry.type === "compaction" && at === 0));
  return { context: chosen.filter(isLoaded).map((entry) => lines.indexOf(entry)), last: entries.at(-1) };
}

function parse(line: string): Json {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

function nameEntries(lines: readonly Json[]): void {
  lines.forEach((entry, at) => {
    if (at === 0) return;
    entry.id = `name${at}`;
    entry.parentId = at === 1 ? null : `name${at - 1}`;
  });
  for (const entry of lines) {
    const kept = entry.type === "compaction" ? lines[entry.firstKeptEntryIndex] : undefined;
    if (kept !== undefined && kept.type !== "session") entry.firstKeptEntryId = kept.id;
  }
}

function choose(path: readonly Json[]): readonly Json[] {
  const at = path.findLastIndex((entry) => entry.type === "compaction");
  if (at === -1) return path;
  const from = path.findIndex((entry) => entry.id === path[at].firstKeptEntryId);
  const kept = from === -1 || from > at ? [] : path.slice(from, at);
  return [
    path[at],
    ...kept.filter((entry) => entry.type !== "message" || entry.message.role !== "system"),
    ...path.slice(at + 1),
  ];
}
