import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { dirname, join, resolve } from "node:path";
import { reasonOf } from "../agents/isolate.ts";
import { exitCodes, type Problem, UserError } from "../errors.ts";
import type { Digest } from "../extract/digest.ts";
import { makeFolders, namesIn } from "../fs/folders.ts";
import type { Library } from "../fs/library.ts";
import { expandHome, insideOf } from "../fs/places.ts";
import { replaceFile } from "../fs/replace-file.ts";
import { sweepTempFiles } from "../fs/sweep-temp-files.ts";
import { inBatches } from "../render/text-parts.ts";
import type { SearchReader } from "../search/engine.ts";
import { documentOf, type Mask } from "../search/export-session.ts";
import { openSession } from "../search/open-session.ts";
import { engineError, type IndexAccess, withIndex } from "../search/refresh/index-access.ts";
import {
  type CatalogRow,
  type ListOptions,
  listFrom,
  readSessionCatalog,
} from "../search/session-catalog.ts";
import { cardOf } from "../search/session-documents.ts";
import { sessionKey } from "../session/session.ts";
import {
  dataScript,
  type SiteIndexData,
  type SiteSession,
  type SiteSessions,
  type SiteTurn,
} from "./site-data.ts";
import { createSiteIndex } from "./site-index.ts";
import { siteHtml } from "./site-page.ts";

export interface SiteOptions {
  /** The folder to write: one that is new, empty, or was written by an earlier run. */
  readonly folder: string;
  readonly filter: NonNullable<ListOptions["filter"]>;
  readonly mask: Mask;
  /** The script and the style of the site's page, which come with the program. */
  readonly client: { readonly script: Uint8Array; readonly style: Uint8Array };
  /** Lets signals through between two sessions, and ends the run if it was aborted. */
  readonly pause: () => Promise<void>;
  readonly onProgress?: (progress: {
    readonly files: number;
    readonly filesTotal: number;
    readonly bytes: number;
    readonly bytesTotal: number;
  }) => void;
}

export interface SiteAnswer {
  readonly folder: string;
  readonly page: string;
  readonly sessions: number;
  readonly turns: number;
  readonly files: number;
  readonly bytes: number;
  /** Sessions that could not be read: they are listed and found, but have no page. */
  readonly problems: readonly Problem[];
}

/** The file that says that a folder is a site of this program, and which files are its own. */
export const MARKER = "sessions-site.json";

interface Marker {
  readonly site: 1;
  /** False while it is being written. */
  readonly isComplete: boolean;
  readonly files: readonly string[];
}

/**
 * Writes the sessions that match as a folder of static pages with a search of their own. Before the first file is written
 * the marker names all of them, so that a run that was killed is completed by the next; files that are not ours are never
 * replaced, and of ours those are removed in the end that are no longer needed.
 */
export async function writeSite(
  library: Library,
  access: IndexAccess,
  options: SiteOptions,
): Promise<SiteAnswer> {
  const { surroundings, places } = library;
  const folder = resolve(surroundings.folder, expandHome(options.folder, surroundings.home));
  if (insideOf(places.home, folder) || folder === places.home)
    throw refusal(folder, "it is in the store of this program");
  const before = readMarker(library, folder);
  return withIndex(library, access, async (reader, refreshed) => {
    const catalog = await readSessionCatalog(library, reader, refreshed);
    const { rows } = await listFrom(catalog, { filter: options.filter });
    const names = rows.map(({ digest }) => nameOf(sessionKey(digest)));
    const planned = [
      "index.html",
      "site.js",
      "site.css",
      "data/sessions.js",
      "data/index.js",
      ...names.flatMap((name) => [`sessions/${name}.html`, `data/texts/${name}.js`]),
    ];
    checkForeign(library, folder, planned, before);
    const site = openFolder(library, folder);
    site.mark({ site: 1, isComplete: false, files: [...new Set([...(before?.files ?? []), ...planned])] });

    const index = createSiteIndex();
    const sessions: SiteSession[] = [];
    const turns: SiteTurn[] = [];
    const problems: Problem[] = [];
    const bytesTotal = rows.reduce((sum, { bytes }) => sum + bytes, 0);
    let read = 0;
    for (const [number, row] of rows.entries()) {
      await options.pause();
      options.onProgress?.({ files: number, filesTotal: rows.length, bytes: read, bytesTotal });
      read += row.bytes;
      const name = names[number] ?? "";
      const { card, texts, page, problem } = await readForSite(library, reader, row, options.mask);
      if (problem !== undefined) problems.push(problem);
      index.card.add({ id: number, fields: card });
      texts.forEach(({ turn, context, at, fields }, place) => {
        index.turn.add({ id: turns.length, fields });
        turns.push([number, turn, context, at, place]);
      });
      site.write(
        `data/texts/${name}.js`,
        dataScript(
          `texts/${name}`,
          texts.map(({ fields }) => fields),
        ),
      );
      if (page !== undefined) site.write(`sessions/${name}.html`, encoded(page()));
      sessions.push(siteSession(options.mask(row), name, page !== undefined));
    }
    const list: SiteSessions = { madeAt: library.now(), sessions };
    const found = {
      index: { card: index.card.toJSON(), turn: index.turn.toJSON() },
      turns,
    } satisfies SiteIndexData;
    site.write("data/index.js", dataScript("index", found));
    site.write("data/sessions.js", dataScript("sessions", list));
    site.write("site.css", options.client.style);
    site.write("site.js", options.client.script);
    site.write("index.html", siteHtml());
    const written = site.written();
    for (const path of before?.files ?? []) if (!written.includes(path)) site.remove(path);
    site.mark({ site: 1, isComplete: true, files: written });
    return {
      folder,
      page: join(folder, "index.html"),
      sessions: sessions.length,
      turns: turns.length,
      files: written.length,
      bytes: site.bytes(),
      problems,
    };
  });
}

function* encoded(parts: Iterable<string>): Generator<Uint8Array, void, void> {
  for (const part of inBatches(parts)) yield Buffer.from(part);
}

/** Names of pages are hashes: an id may have any characters, and a title may hold what nobody wants in a path. */
function nameOf(key: string): string {
  return createHash("sha256").update(key).digest("hex").slice(0, 20);
}

function siteSession({ digest }: CatalogRow, name: string, hasPage: boolean): SiteSession {
  const { agent, id, title, project, branch, startedAt, endedAt, turns } = digest;
  return { agent, id, title, project, branch, startedAt, endedAt, turns, name, hasPage };
}

interface ReadForSite {
  readonly card: Readonly<Record<string, string>>;
  readonly texts: readonly Pick<SiteDocumentOf, "turn" | "context" | "at" | "fields">[];
  readonly page: (() => Iterable<string>) | undefined;
  readonly problem?: Problem;
}
type SiteDocumentOf = Awaited<ReturnType<NonNullable<StoredOf>["documents"]>>[number];
type StoredOf = Extract<Awaited<ReturnType<SearchReader["session"]>>, { readonly kind: "session" }>;

/**
 * Reads what the site needs of a session: documents of turns as the index has them, which are masked, and the page from
 * its log. The card is made again, because the index keeps only a part of its texts.
 */
async function readForSite(
  library: Library,
  reader: SearchReader,
  row: CatalogRow,
  mask: Mask,
): Promise<ReadForSite> {
  const stored = await reader.session(sessionKey(row.digest));
  if (stored !== undefined && stored.kind !== "session") throw engineError(stored);
  const [kept, ...turns] = stored === undefined ? [] : await stored.documents();
  // The index is masked, but the user's own patterns may be newer than it.
  const texts = library.config.redact.length === 0 ? turns : mask(turns);
  try {
    const { source, copies, digest } = row;
    const open = openSession(library, [copies > 1 && source !== null ? (digest.lead ?? source) : digest.id]);
    const known: Digest = stored === undefined ? open.digest : JSON.parse(stored.digest);
    return { card: mask(cardOf(open.session, known).fields), texts, page: documentOf(open, "html", mask) };
  } catch (error) {
    const problem = { path: row.source ?? row.digest.id, line: 0, what: reasonOf(error) };
    return { card: mask(kept?.fields ?? {}), texts, page: undefined, problem };
  }
}

/** The marker of an earlier run; undefined if the folder is new or empty. Anything else is not ours to write into. */
function readMarker({ disk }: Library, folder: string): Marker | undefined {
  const kind = disk.stat(folder)?.kind;
  if (kind === undefined) return undefined;
  if (kind !== "folder") throw refusal(folder, "it is not a folder");
  const names = namesIn(disk, folder);
  if (names.length === 0) return undefined;
  if (!names.includes(MARKER)) throw refusal(folder, "it has files that are not of a site of this program");
  try {
    const text = disk.readFile(join(folder, MARKER), MAX_MARKER_BYTES)?.toString("utf8") ?? "";
    const marker: Partial<Marker> = JSON.parse(text);
    if (marker.site === 1 && Array.isArray(marker.files)) {
      const files = marker.files.filter((path) => typeof path === "string" && ownPath.test(path));
      return { site: 1, isComplete: marker.isComplete === true, files };
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw refusal(folder, `its ${MARKER} cannot be read`);
}

const MAX_MARKER_BYTES = 64 * 1024 * 1024;

/** The only paths that a site has: a marker that somebody changed must not name others for removal. */
const ownPath =
  /^(?:index\.html|site\.js|site\.css|data\/(?:index|sessions)\.js|(?:sessions\/[0-9a-f]{20}\.html|data\/texts\/[0-9a-f]{20}\.js))$/;

function checkForeign(
  { disk }: Library,
  folder: string,
  planned: readonly string[],
  before: Marker | undefined,
): void {
  const own = new Set(before?.files);
  for (const name of ["data", "data/texts", "sessions"]) {
    const kind = disk.lstat(join(folder, name))?.kind;
    if (kind !== undefined && kind !== "folder") throw refusal(join(folder, name), "it is not a folder");
  }
  for (const path of planned) {
    const there = disk.lstat(join(folder, path));
    if (there !== undefined && (there.kind !== "file" || !own.has(path)))
      throw refusal(join(folder, path), "it is not of this site");
  }
}

interface SiteFolder {
  mark(marker: Marker): void;
  write(path: string, content: string | Uint8Array | Iterable<Uint8Array>): void;
  remove(path: string): void;
  written(): readonly string[];
  bytes(): number;
}

function openFolder({ disk, now }: Library, folder: string): SiteFolder {
  const paths: string[] = [];
  let bytes = 0;
  for (const name of ["", "data", "data/texts", "sessions"]) {
    makeFolders(disk, join(folder, name));
    // Nothing else would find what a killed run left here.
    sweepTempFiles(disk, join(folder, name), { now: now() });
  }
  return {
    mark: (marker) => void replaceFile(disk, join(folder, MARKER), `${JSON.stringify(marker)}\n`),
    write(path, content) {
      const done = replaceFile(disk, join(folder, path), content);
      if (done.kind === "done") bytes += done.file.size;
      paths.push(path);
    },
    remove(path) {
      if (disk.lstat(join(folder, path))?.kind === "file") disk.unlink(join(folder, path));
    },
    written: () => paths,
    bytes: () => bytes,
  };
}

function refusal(path: string, why: string): UserError {
  return new UserError(`Cannot write the site to ${JSON.stringify(path)}: ${why}`, {
    exitCode: exitCodes.refused,
    hint: `name a new folder; ${JSON.stringify(dirname(path))} may hold it`,
  });
}

/** Reads the script and the style of the page, which the build makes. */
export function readClient({ disk }: Pick<Library, "disk">, folder: string): SiteOptions["client"] {
  const read = (name: string): Uint8Array => {
    const path = join(folder, name);
    const bytes = disk.stat(path)?.kind === "file" ? disk.readFile(path, MAX_CLIENT_BYTES) : undefined;
    if (bytes !== undefined) return bytes;
    throw new UserError(`Cannot write a site: ${JSON.stringify(path)} is missing`, {
      exitCode: exitCodes.broken,
      hint: "in a clone, `npm install` builds it",
    });
  };
  return { script: read("site.js"), style: read("site.css") };
}

const MAX_CLIENT_BYTES = 16 * 1024 * 1024;
