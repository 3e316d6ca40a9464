import { createHash } from "node:crypto";
import { join, resolve } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { reasonOf } from "../agents/isolate.ts";
import type { Progress } from "../archive/progress.ts";
import { exitCodes, type Problem, UserError } from "../errors.ts";
import type { Digest } from "../extract/digest.ts";
import type { Library } from "../fs/library.ts";
import { expandHome, insideOf } from "../fs/places.ts";
import { RULES_VERSION } from "../redact/mask.ts";
import { encodeParts } from "../render/text-parts.ts";
import type { IndexDocument, SearchReader } from "../search/engine.ts";
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
  readDataScript,
  type SiteSession,
  type SiteSessions,
  type SiteText,
  type SiteTexts,
} from "./site-data.ts";
import { checkForeign, openSiteFolder, readMarker, refuseSite, type SiteFolder } from "./site-folder.ts";
import { createSiteBuilder } from "./site-index.ts";
import { siteHtml } from "./site-page.ts";

export interface SiteOptions {
  /** The folder to write: new, empty, or written by an earlier run. */
  readonly folder: string;
  readonly filter: NonNullable<ListOptions["filter"]>;
  /** Only these sessions of them, by their keys. */
  readonly keys?: ReadonlySet<string> | undefined;
  readonly mask: Mask;
  /** The script and the style of the site's page, which come with the program. */
  readonly client: { readonly script: Uint8Array; readonly style: Uint8Array };
  /** Lets signals through between two sessions, and ends the run if it was aborted. */
  readonly pause: () => Promise<void>;
  readonly onProgress?: (progress: Progress) => void;
}

export interface SiteAnswer {
  readonly folder: string;
  readonly page: string;
  readonly sessions: number;
  /** Sessions whose pages were written; those of the others were up to date. */
  readonly changed: number;
  readonly turns: number;
  readonly files: number;
  /** The number of bytes that were written. */
  readonly bytes: number;
  /** Sessions that could not be read: they are listed and found, but have no page. */
  readonly problems: readonly Problem[];
}

/**
 * Writes the sessions that match as a folder of static pages with a search of their own; of an earlier run, only what
 * changed. Files of data have a new name whenever they change, and `index.html`, which names them, is replaced last: a run
 * that is killed leaves the site as it was. Before the first file is written the marker names all of them, so that the next
 * run removes what a killed one left; files that are not ours are never replaced.
 */
export async function writeSite(
  library: Library,
  access: IndexAccess,
  options: SiteOptions,
): Promise<SiteAnswer> {
  const { environment, places } = library;
  const folder = resolve(environment.folder, expandHome(options.folder, environment.home));
  const isStore = insideOf(places.home, folder) || folder === places.home;
  if (isStore && folder !== places.site) throw refuseSite(folder, "it is in the store of this program");
  const before = readMarker(library, folder);
  return withIndex(library, access, async (reader, refreshed) => {
    const catalog = await readSessionCatalog(library, reader, refreshed);
    const { keys } = options;
    const { rows: listed } = await listFrom(catalog, { filter: options.filter });
    const rows = keys === undefined ? listed : listed.filter(({ digest }) => keys.has(sessionKey(digest)));
    const pages = rows.map((row) => pageOf(library, row));
    const client = clientFiles(options.client);
    const answer = { folder, page: join(folder, "index.html"), sessions: rows.length };
    const site = openSiteFolder(library, folder);
    const isThere = (path: string): boolean => before?.files.includes(path) === true && site.has(path);
    const fixed = ["index.html", client.script, client.style];
    const known = new Set(before?.files);
    const isCurrent = ({ page, texts, textsWithoutPage }: SitePage): boolean =>
      known.has(textsWithoutPage) || (known.has(texts) && known.has(page));
    if (
      before?.isComplete === true &&
      [...fixed, ...before.files].every(isThere) &&
      pages.every(isCurrent) &&
      before.files.filter((path) => path.startsWith("data/texts/")).length === pages.length
    )
      return {
        ...answer,
        changed: 0,
        turns: before.turns,
        files: before.files.length,
        bytes: 0,
        problems: [],
      };

    const version = hashOf([library.now(), ...pages.map(({ texts }) => texts)], VERSION_CHARS);
    const data = { sessions: `sessions-${version}`, index: `index-${version}` };
    const planned = [
      ...fixed,
      `data/${data.sessions}.js`,
      `data/${data.index}.js`,
      ...pages.flatMap(({ page, texts, textsWithoutPage }) => [page, texts, textsWithoutPage]),
    ];
    checkForeign(library, folder, planned, before);
    site.mark({
      site: 1,
      isComplete: false,
      files: [...new Set([...(before?.files ?? []), ...planned])],
      turns: 0,
    });

    const builder = createSiteBuilder();
    const sessions: SiteSession[] = [];
    const written = [...fixed, `data/${data.sessions}.js`, `data/${data.index}.js`];
    const problems: Problem[] = [];
    const bytesTotal = rows.reduce((sum, { bytes }) => sum + bytes, 0);
    let [read, changed] = [0, 0];
    for (const [number, row] of rows.entries()) {
      await options.pause();
      options.onProgress?.({ files: number, filesTotal: rows.length, bytes: read, bytesTotal });
      read += row.bytes;
      const own = pages[number];
      if (own === undefined) continue;
      const kept = keptTexts(site, own);
      const made = kept ?? (await writeSession(library, reader, { row, own, site, mask: options.mask }));
      if (kept === undefined) changed++;
      if (made.problem !== undefined) problems.push(made.problem);
      const { name, page } = own;
      const texts = made.hasPage ? own.texts : own.textsWithoutPage;
      written.push(texts, ...(made.hasPage ? [page] : []));
      builder.add(made.texts);
      sessions.push(siteSession(options.mask(row), { name, texts, hasPage: made.hasPage }));
    }
    const list: SiteSessions = { madeAt: library.now(), sessions };
    const found = builder.finish();
    site.write(`data/${data.index}.js`, dataScript(data.index, found));
    site.write(`data/${data.sessions}.js`, dataScript(data.sessions, list));
    site.write(client.style, options.client.style);
    site.write(client.script, options.client.script);
    // From here on it is the new site.
    site.write("index.html", siteHtml({ ...client, version }));
    for (const path of new Set([...(before?.files ?? []), ...planned]))
      if (!written.includes(path)) site.remove(path);
    const turns = found.turns.length;
    site.mark({ site: 1, isComplete: true, files: written, turns });
    return { ...answer, changed, turns, files: written.length, bytes: site.bytes(), problems };
  });
}

const VERSION_CHARS = 12;
const NAME_CHARS = 20;
/** Must be increased when pages of sessions change, so that older pages are written again. */
const PAGE_VERSION = 2;

function hashOf(parts: readonly (string | number | Uint8Array)[], chars: number): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(typeof part === "number" ? String(part) : part).update("\0");
  return hash.digest("hex").slice(0, chars);
}

/** The names of the page's script and style: another version has other names. */
function clientFiles({ script, style }: SiteOptions["client"]): { script: string; style: string } {
  return {
    script: `site-${hashOf([script], VERSION_CHARS)}.js`,
    style: `site-${hashOf([style], VERSION_CHARS)}.css`,
  };
}

/** The files of one session. */
interface SitePage {
  /** A hash, because an id may have any characters, and a title may contain things that nobody wants in a path. */
  readonly name: string;
  readonly page: string;
  readonly texts: string;
  /** The texts of a session whose page can't be made. */
  readonly textsWithoutPage: string;
}

/** Texts get another name whenever the session, the masks or this program changed. */
function pageOf({ config }: Library, { digest, source, copies }: CatalogRow): SitePage {
  const name = hashOf([sessionKey(digest)], NAME_CHARS);
  const state = [
    manifest.version,
    PAGE_VERSION,
    RULES_VERSION,
    JSON.stringify(config.redact),
    digest.mark,
    source ?? "",
    copies,
  ];
  const texts = (about: string): string =>
    `data/texts/${name}-${hashOf([about, ...state], VERSION_CHARS)}.js`;
  return { name, page: `sessions/${name}.html`, texts: texts("page"), textsWithoutPage: texts("no page") };
}

interface MadeSession {
  readonly texts: SiteTexts;
  readonly hasPage: boolean;
  readonly problem?: Problem;
}

/**
 * The files that an earlier run wrote for a session that has not changed since. The page is written before the texts.
 */
function keptTexts(site: SiteFolder, { page, texts, textsWithoutPage }: SitePage): MadeSession | undefined {
  const path = site.has(page) && site.has(texts) ? texts : textsWithoutPage;
  const read = readDataScript(site.read(path) ?? "");
  return isTexts(read) ? { texts: read, hasPage: path === texts } : undefined;
}

function isTexts(value: unknown): value is SiteTexts {
  return typeof value === "object" && value !== null && "card" in value && "turns" in value;
}

interface SessionToWrite {
  readonly row: CatalogRow;
  readonly own: SitePage;
  readonly site: SiteFolder;
  readonly mask: Mask;
}

async function writeSession(
  library: Library,
  reader: SearchReader,
  { row, own, site, mask }: SessionToWrite,
): Promise<MadeSession> {
  const { texts, page, problem } = await readForSite(library, reader, row, mask);
  if (page !== undefined) site.write(own.page, encodeParts(page()));
  const path = page === undefined ? own.textsWithoutPage : own.texts;
  site.write(path, dataScript(path.replace(/^data\/|\.js$/g, ""), texts));
  const made = { texts, hasPage: page !== undefined };
  return problem === undefined ? made : { ...made, problem };
}

function siteSession(
  { digest }: CatalogRow,
  { name, texts, hasPage }: { readonly name: string; readonly texts: string; readonly hasPage: boolean },
): SiteSession {
  const { agent, id, title, project, branch, startedAt, endedAt, turns } = digest;
  const file = texts.replace(/^data\/texts\/|\.js$/g, "");
  return { agent, id, title, project, branch, startedAt, endedAt, turns, name, texts: file, hasPage };
}

interface ReadForSite {
  readonly texts: SiteTexts;
  readonly page: (() => Iterable<string>) | undefined;
  readonly problem?: Problem;
}

/**
 * Reads a session's content for the site: documents of turns from the index, which are masked, and the page from its
 * log. The card is built again, because the index keeps only a part of its texts.
 */
async function readForSite(
  library: Library,
  reader: SearchReader,
  row: CatalogRow,
  mask: Mask,
): Promise<ReadForSite> {
  const stored = await reader.session(sessionKey(row.digest));
  if (stored !== undefined && stored.kind !== "session") throw engineError(stored);
  const [card, ...documents] = stored === undefined ? [] : await stored.documents();
  const digest: Digest | undefined = stored === undefined ? undefined : JSON.parse(stored.digest);
  const read = textsOf(documents, digest);
  // The index is masked, but the user's own patterns may be newer than it.
  const turns = library.config.redact.length === 0 ? read : mask(read);
  try {
    const { source, copies, digest: own } = row;
    const open = openSession(library, [
      copies > 1 && source !== null ? (own.lead ?? source) : sessionKey(own),
    ]);
    const fields = mask(cardOf(open.session, digest ?? open.digest).fields);
    return { texts: { card: fields, turns }, page: documentOf(open, "html", mask, "../index.html") };
  } catch (error) {
    const problem = { path: row.source ?? row.digest.id, line: 0, what: whyNoPage(row, error) };
    return { texts: { card: mask(card?.fields ?? {}), turns }, page: undefined, problem };
  }
}

/** Why a session has no page. Rethrows errors that would affect the pages of the other sessions as well. */
function whyNoPage({ source }: CatalogRow, error: unknown): string {
  if (!(error instanceof UserError) || error.exitCode === exitCodes.broken) return reasonOf(error);
  const isGone = source === null && error.exitCode === exitCodes.nothingFound;
  return isGone ? "its log is gone and it was not archived" : error.message;
}

/** Documents of turns, each with the identity that it shares with its copies in forks. */
function textsOf(documents: readonly IndexDocument[], digest: Digest | undefined): readonly SiteText[] {
  const requests = new Map(digest?.requests.map((request) => [request.turn, request]));
  const counts = new Map<string, number>();
  return documents.map(({ turn, context, at, fields }) => {
    const request = context === "subagent" ? undefined : requests.get(turn);
    if (request === undefined || request.uid === null || request.at === null)
      return { turn, context, at, fields };
    const place = `${digest?.agent} ${request.uid} ${request.at} ${context}`;
    const number = counts.get(place) ?? 0;
    counts.set(place, number + 1);
    const identity = hashOf([place, number], VERSION_CHARS);
    return { turn, context, at, fields, identity, isCopy: request.copiedFrom !== undefined };
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
