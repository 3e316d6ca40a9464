import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";

/** The files of one Claude Code session, by the rules of its layout alone. */
export interface ClaudeFiles {
  readonly id: string;
  readonly main: string;
  readonly agents: readonly string[];
}

export interface ClaudeProjects {
  readonly sessions: readonly ClaudeFiles[];
  /** Logs of sub-agents whose session has no log here. */
  readonly orphans: readonly string[];
}

export type Row = Readonly<Record<string, unknown>>;

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** All sessions below a `projects` folder. Of several logs with one id the newest leads, then the longest. */
export function claudeProjects(projects: string): ClaudeProjects {
  const mains = new Map<string, string>();
  const agents: { readonly path: string; readonly session: string | undefined }[] = [];
  for (const name of readdirSync(projects, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".jsonl")) continue;
    const path = join(projects, name);
    const stem = basename(name, ".jsonl");
    if (stem.startsWith("agent-")) agents.push({ path, session: firstSessionId(path) });
    else if (UUID.test(stem) && name.split("/").length === 2) {
      const other = mains.get(stem);
      if (other === undefined || isNewer(path, other)) mains.set(stem, path);
    }
  }
  return {
    sessions: [...mains].map(([id, main]) => ({
      id,
      main,
      agents: agents.filter((agent) => agent.session === id).map((agent) => agent.path),
    })),
    orphans: agents.filter((agent) => !mains.has(agent.session ?? "")).map((agent) => agent.path),
  };
}

function isNewer(path: string, other: string): boolean {
  const [a, b] = [statSync(path), statSync(other)];
  return (
    Math.floor(a.mtimeMs) - Math.floor(b.mtimeMs) > 0 ||
    (Math.floor(a.mtimeMs) === Math.floor(b.mtimeMs) && a.size > b.size)
  );
}

function firstSessionId(path: string): string | undefined {
  for (const row of rowsOf(path)) if (typeof row.sessionId === "string") return row.sessionId;
  return undefined;
}

/** Every object of a log, in order. Two objects that were glued together are two; what else fails to parse is none. */
export function rowsOf(path: string): readonly Row[] {
  return readFileSync(path, "utf8").split("\n").flatMap(rowsOfLine);
}

function rowsOfLine(line: string): readonly Row[] {
  const text = line
    .replaceAll("\0", "")
    .replace(/^\uFEFF/, "")
    .trim();
  if (text === "") return [];
  const whole = parse(text);
  if (whole !== undefined) return isRow(whole) ? [whole] : [];
  for (let at = text.indexOf('}{"'); at >= 0; at = text.indexOf('}{"', at + 1)) {
    const first = parse(text.slice(0, at + 1));
    if (isRow(first)) return [first, ...rowsOfLine(text.slice(at + 1))];
  }
  return [];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function isRow(value: unknown): value is Row {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
