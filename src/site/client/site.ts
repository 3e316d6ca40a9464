import { cleanText } from "../../redact/clean-text.ts";
import { analyzeQuery } from "../../search/analysis/analyze-query.ts";
import { parseQuery } from "../../search/query/parse-query.ts";
import { makeSnippet } from "../../search/snippets/make-snippet.ts";
import { keepPhrases, type SearchableSite, type SiteHit, searchSite } from "../search-site.ts";
import type { SiteIndexData, SiteSession, SiteSessions, SiteTexts } from "../site-data.ts";
import { loadSiteIndex } from "../site-index.ts";

/*
 * The page of an exported site. Everything from logs is put into the page as text, never as markup. Data come as scripts
 * that call `sessionsSite`, because a page that was opened from disk may not fetch.
 */

const waiting = new Map<string, (json: string) => void>();
Object.assign(globalThis, {
  sessionsSite(name: string, json: string): void {
    waiting.get(name)?.(json);
  },
});

function load<T>(name: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    waiting.set(name, (json) => resolve(JSON.parse(json)));
    script.addEventListener("error", () => reject(new Error(`data/${name}.js cannot be loaded`)));
    script.addEventListener("load", () => script.remove());
    script.src = `data/${name}.js`;
    document.head.append(script);
  });
}

const texts = new Map<string, Promise<SiteTexts>>();
function textsOf({ texts: name }: SiteSession): Promise<SiteTexts> {
  const known = texts.get(name) ?? load<SiteTexts>(`texts/${name}`);
  texts.set(name, known);
  return known;
}

const input = element("query", HTMLInputElement);
const status = element("status", HTMLElement);
const list = element("list", HTMLElement);

function element<T extends HTMLElement>(id: string, type: abstract new () => T): T {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`The page has no ${id}`);
  return found;
}

/** Enough to look through; a more precise query finds more. */
const SHOWN = 50;
const PASSAGES = 3;

function make(tag: string, kind: string, text = ""): HTMLElement {
  const made = document.createElement(tag);
  if (kind !== "") made.className = kind;
  made.textContent = cleanText(text);
  return made;
}

/** "30 Jan 2026": no reader takes the day for the month. */
function dayOf(ms: number): string {
  return new Date(ms).toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" });
}

function sessionItem(session: SiteSession): HTMLElement {
  const item = make("li", "session");
  const title = session.title ?? "(no title)";
  const head = session.hasPage ? make("a", "title", title) : make("span", "title", title);
  if (head instanceof HTMLAnchorElement) head.href = `sessions/${session.name}.html`;
  const when = session.endedAt === null ? [] : [dayOf(session.endedAt)];
  const project = session.project === null ? [] : [session.project];
  const branch = session.branch === null ? [] : [session.branch];
  const turns = session.turns === 1 ? "1 turn" : `${session.turns} turns`;
  item.append(head, make("p", "about", [session.agent, ...project, ...branch, ...when, turns].join(" · ")));
  return item;
}

/** Adds the best passages of a hit when its texts have been loaded, if it is still shown. */
async function addPassages(
  item: HTMLElement,
  hit: SiteHit,
  site: SearchableSite,
  terms: ReadonlySet<string>,
): Promise<void> {
  const session = site.sessions[hit.session];
  if (session === undefined || hit.turns.length === 0) return;
  const all = await textsOf(session);
  for (const doc of hit.turns.slice(0, PASSAGES)) {
    const [, turn, context, , place] = site.turns[doc] ?? [0, 0, "current", null, 0];
    const fields = Object.entries(all.turns[place]?.fields ?? {});
    for (const [role, text] of fields) {
      const snippet = makeSnippet(text, terms, { maxChars: 240, phrases: [] });
      if (snippet === undefined) continue;
      const line = make("p", "passage");
      const link = make(
        "a",
        "turn",
        [`turn ${turn}`, role, ...(context === "current" ? [] : [context])].join(" · "),
      );
      if (link instanceof HTMLAnchorElement && session.hasPage)
        link.href = `sessions/${session.name}.html#turn-${turn}`;
      line.append(link, " ", ...marked(snippet.text, snippet.highlights));
      item.append(line);
      break;
    }
  }
}

function marked(
  text: string,
  ranges: readonly (readonly [number, number])[],
): readonly (HTMLElement | string)[] {
  const parts: (HTMLElement | string)[] = [];
  let done = 0;
  for (const [from, to] of ranges) {
    parts.push(cleanText(text.slice(done, from)), make("mark", "", text.slice(from, to)));
    done = to;
  }
  return [...parts, cleanText(text.slice(done))];
}

function termsOf(query: string): ReadonlySet<string> {
  const words = parseQuery(query).words.filter(({ isNegated }) => !isNegated);
  return new Set(
    words.flatMap(({ text }) => analyzeQuery(text).flatMap(({ any }) => any.flatMap(({ all }) => all))),
  );
}

function showAll({ sessions, madeAt }: SiteSessions): void {
  list.replaceChildren(...sessions.slice(0, SHOWN).map(sessionItem));
  const more = sessions.length > SHOWN ? `, the newest ${SHOWN} are shown` : "";
  status.textContent = `${sessions.length} sessions, exported ${dayOf(madeAt)}${more}`;
}

/** "3 sessions, and 12 with some of the words", as the program counts. */
function foundText(hits: readonly SiteHit[], isLoose: boolean): string {
  const sessions = (count: number): string => (count === 1 ? "1 session" : `${count} sessions`);
  const all = hits.filter(({ hasAll }) => hasAll).length;
  const how = isLoose ? ", with prefixes or typos" : "";
  if (all === hits.length) return `${sessions(all)}${how}`;
  if (all === 0) return `${sessions(hits.length)}, with some of the words`;
  return `${sessions(all)}${how}, and ${hits.length - all} with some of the words`;
}

async function start(): Promise<void> {
  const { version = "" } = document.documentElement.dataset;
  const all = await load<SiteSessions>(`sessions-${version}`);
  showAll(all);
  const data = await load<SiteIndexData>(`index-${version}`);
  const site = { index: loadSiteIndex(data.index), sessions: all.sessions, turns: data.turns };
  const search = async (): Promise<void> => {
    const query = input.value;
    history.replaceState(null, "", query === "" ? "#" : `#q=${encodeURIComponent(query)}`);
    if (query.trim() === "") return showAll(all);
    const clock = {
      now: Date.now(),
      offsetMinutesAt: (ms: number) => -new Date(ms).getTimezoneOffset(),
    };
    const results = searchSite(site, query, clock);
    const { isLoose, warnings } = results;
    const hits = await keepPhrases(site, results, textsOf, SHOWN);
    if (input.value !== query) return;
    const terms = termsOf(query);
    const items = hits.slice(0, SHOWN).flatMap((hit) => {
      const session = all.sessions[hit.session];
      return session === undefined ? [] : [{ hit, item: sessionItem(session) }];
    });
    list.replaceChildren(...items.map(({ item }) => item));
    status.textContent = [foundText(hits, isLoose), ...warnings].join(" · ");
    for (const { hit, item } of items) {
      if (input.value !== query) return;
      await addPassages(item, hit, site, terms);
    }
  };
  const typed = /^#q=(.*)$/.exec(location.hash)?.[1];
  if (typed !== undefined && input.value === "") input.value = decodeURIComponent(typed);
  input.addEventListener("input", () => void search());
  if (input.value !== "") await search();
  document.documentElement.dataset.ready = "yes";
}

start().catch((error: unknown) => {
  status.textContent = error instanceof Error ? error.message : String(error);
});
