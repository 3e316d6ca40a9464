import { agentNamed } from "../agents/agents.ts";
import { forgottenSessions } from "../archive/open-archive.ts";
import { exitCodes, UserError } from "../errors.ts";
import type { Digest } from "../extract/digest.ts";
import { shorten } from "../extract/sentences.ts";
import { IndexDamage } from "../fs/damage.ts";
import type { Library } from "../fs/library.ts";
import { deniedAt, whyUnreadable } from "../fs/sources.ts";
import { type SessionName, sessionKey } from "../session/session.ts";
import type { SearchEngine } from "./engine.ts";
import { sessionOfStub } from "./history-stubs.ts";
import { type OpenSession, permissionFix, UnreadableLog } from "./open-session.ts";
import { rowsOf } from "./refresh/index-rows.ts";
import { MIN_PREFIX } from "./select-sessions.ts";

/** The name of a session in the index, and where its log is or was. */
interface IndexedName extends SessionName {
  readonly lead: string | null;
}

/**
 * Finds a session by id or prefix that only the index still has: its log is gone and it was never archived. Returns
 * undefined if the index has none or several.
 */
export async function findInIndex(engine: SearchEngine, word: string): Promise<IndexedName | undefined> {
  const opened = await engine.read();
  if (opened.kind !== "open") return undefined;
  try {
    const known = await rowsOf(opened.reader);
    if (known.kind !== "rows") return undefined;
    const rows = [...known.rows.values()];
    const exact = rows.filter(({ agent, id }) => id === word || `${agent}:${id}` === word);
    const byPrefix =
      word.length < MIN_PREFIX
        ? []
        : rows.filter(({ id }) => id.toLowerCase().startsWith(word.toLowerCase()));
    const [found, other] = exact.length > 0 ? exact : byPrefix;
    if (found === undefined || other !== undefined) return undefined;
    return { agent: found.agent, id: found.id, lead: found.lead };
  } catch (error) {
    if (error instanceof IndexDamage) return undefined;
    throw error;
  } finally {
    await opened.reader.close();
  }
}

/** A session whose log may not be looked at, as far as the index has it; undefined if the index does not. */
export async function openFromIndex(
  library: Library,
  engine: SearchEngine,
  { agent, id }: SessionName,
  path: string,
): Promise<OpenSession | undefined> {
  const opened = await engine.read();
  if (opened.kind !== "open") return undefined;
  try {
    const stored = await opened.reader.session(sessionKey({ agent, id }));
    if (stored?.kind !== "session") return undefined;
    const digest: Digest = JSON.parse(stored.digest);
    const { project, requests } = digest;
    const why = whyUnreadable(library.disk, path) ?? "permission denied";
    const fix = permissionFix(library, path);
    const what = `cannot be read: ${why}; this is what the index has of it${fix === undefined ? "" : `; ${fix}`}`;
    return {
      session: {
        ...sessionOfStub({ agent, id, project, prompts: requests }),
        problems: [{ path, line: 0, what }],
      },
      digest,
      state: "idle",
      source: path,
      log: path,
      copies: 1,
      others: [],
      archive: null,
      machine: null,
      bytes: 0,
      resume: agentNamed(agent).resume({ id, project, source: path }),
      images: () => new Map(),
    };
  } catch (error) {
    if (error instanceof IndexDamage) return undefined;
    throw error;
  } finally {
    await opened.reader.close();
  }
}

/** How many sessions an error names, and how much of their titles. */
const NEAREST = 3;
const TITLE_CHARS = 60;

/**
 * The error for a word that names no session, with the sessions that have it in their titles; undefined if none has.
 */
export async function nearestTitles(
  library: Library,
  engine: SearchEngine,
  word: string,
): Promise<UserError | undefined> {
  const opened = await engine.read();
  if (opened.kind !== "open") return undefined;
  try {
    const known = await rowsOf(opened.reader);
    if (known.kind !== "rows" || word.length < MIN_PREFIX) return undefined;
    const forgotten = forgottenSessions(library);
    const found = [...known.rows.values()]
      .filter((row) => row.title?.toLowerCase().includes(word.toLowerCase()) && !forgotten.hasSession(row))
      .sort((a, b) => (b.endedAt ?? 0) - (a.endedAt ?? 0));
    if (found.length === 0) return undefined;
    const names = found
      .slice(0, NEAREST)
      .map(({ id, title }) => `  ${id} · ${shorten(title ?? "", TITLE_CHARS)}`);
    const more = found.length > NEAREST ? [`  … ${found.length - NEAREST} more`] : [];
    const what = `Cannot find a session "${word}"; it is in the title of ${found.length === 1 ? "one" : found.length}:`;
    return new UserError([what, ...names, ...more].join("\n"), {
      exitCode: exitCodes.nothingFound,
      hint: `\`sessions list title:${word}\` shows them`,
    });
  } catch (error) {
    if (error instanceof IndexDamage) return undefined;
    throw error;
  } finally {
    await opened.reader.close();
  }
}

/** The error for a session that only the index still has; undefined if that is not the reason, or it was forgotten. */
export async function onlyInIndex(
  library: Library,
  engine: SearchEngine,
  word: string,
): Promise<UserError | undefined> {
  const found = await findInIndex(engine, word);
  if (found === undefined || forgottenSessions(library).hasSession(found)) return undefined;
  const { lead } = found;
  if (lead !== null && deniedAt(library.disk, lead) !== undefined)
    return new UnreadableLog(found, lead, "permission denied", permissionFix(library, lead));
  return new UserError(`Cannot show session ${found.id}: its log is gone and it was not archived`, {
    exitCode: exitCodes.nothingFound,
    hint: "`sessions search` still finds its words; `sessions archive` keeps those that are left",
  });
}
