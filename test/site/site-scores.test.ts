import { expect, test } from "vitest";
import { createMemoryDisk } from "../../src/fs/memory-disk.ts";
import { nodeProcesses } from "../../src/fs/processes.ts";
import { sessionSchema } from "../../src/search/document-fields.ts";
import type { IndexDocument, IndexedSession } from "../../src/search/engine.ts";
import { createEmbeddedEngine, openSegments } from "../../src/search/paged/embedded-engine.ts";
import { createSegmentsView } from "../../src/search/paged/segments-view.ts";
import { parseQuery } from "../../src/search/query/parse-query.ts";
import { queryDates } from "../../src/search/query/query-dates.ts";
import { searchClauses } from "../../src/search/query/search-clauses.ts";
import { noFilter } from "../../src/search/query/session-filter.ts";
import { evaluate } from "../../src/search/ranking/evaluate.ts";
import type { DocumentKind } from "../../src/search/ranking/index-schema.ts";
import type { QueryNode } from "../../src/search/ranking/query-node.ts";
import { type DocumentSet, documentsIn } from "../../src/search/ranking/scorer.ts";
import { keepPhrases, searchSite } from "../../src/site/search-site.ts";
import type { SiteSession, SiteTexts } from "../../src/site/site-data.ts";
import { createSiteBuilder, createSiteIndex, loadSiteIndex, scoreClause } from "../../src/site/site-index.ts";

const SESSIONS = 520;
const TURNS = 20;
const words = [
  "token",
  "refresh",
  "auth",
  "client",
  "retry",
  "timeout",
  "schema",
  "migration",
  "日本語",
  "naïve",
];
const names = ["getUserToken", "refresh_token.ts", "src/auth/client.ts", "E_TIMEOUT", "v2.1", "caching"];

/** The same sessions in every run: words of a small vocabulary, and names with parts. */
function makeSessions(): readonly IndexedSession[] {
  let state = 7;
  const next = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
  const text = (length: number): string =>
    Array.from({ length }, () =>
      next(4) === 0 ? names[next(names.length)] : words[next(words.length)],
    ).join(" ");
  return Array.from({ length: SESSIONS }, (_, session) => {
    const card = {
      title: text(4),
      request: text(20),
      summary: text(8),
      project: "/home/ana/shop",
      file: text(5),
    };
    const turns = Array.from({ length: TURNS }, (_, turn): IndexDocument => {
      const fields = { request: text(6), reply: text(12 + next(20)), output: text(next(30) + 1) };
      return { turn: turn + 1, at: 1_000, context: "current", fields };
    });
    const first: IndexDocument = { turn: 0, at: 1_000, context: "current", fields: card };
    return { key: `claude:${session}`, row: "{}", digest: "{}", documents: [first, ...turns] };
  });
}

const term = (of: string, more: Partial<Extract<QueryNode, { kind: "term" }>> = {}): QueryNode => ({
  kind: "term",
  term: of,
  prefix: false,
  maxDistance: 0,
  boost: 1,
  fields: (1 << sessionSchema.fields.length) - 1,
  ...more,
});

const queries: readonly (readonly [string, QueryNode])[] = [
  ["a word", term("token")],
  ["a name in parts", { kind: "all", nodes: [term("user"), term("token")] }],
  ["either word", { kind: "any", nodes: [term("retri"), term("retry"), term("timeout")] }],
  ["a word without another", { kind: "without", nodes: [term("schema"), term("auth")] }],
  ["a prefix", term("tok", { prefix: true })],
  ["a typo", term("tokan", { maxDistance: 1, boost: 0.5 })],
  ["one field", term("client", { fields: 1 << 0 })],
];

test("every document of a site has the score that the command line's engine gives it, above 10,000 turns", async () => {
  const sessions = makeSessions();
  const disk = createMemoryDisk(() => 0);
  const opened = await createEmbeddedEngine(disk, "/index", nodeProcesses, sessionSchema).write();
  if (opened.kind !== "open") throw new Error(opened.kind);
  for (const session of sessions) await opened.writer.put(session);
  await opened.writer.commit({ tidy: "all" });
  await opened.writer.close();

  const built = createSiteIndex();
  const turnNames: string[] = [];
  sessions.forEach(({ key, documents: [card, ...turns] }, number) => {
    built.card.add({ id: number, fields: card?.fields ?? {} });
    for (const { turn, fields } of turns)
      built.turn.add({ id: turnNames.push(`${key}#${turn}`) - 1, fields });
  });
  expect(turnNames.length).toBeGreaterThan(10_000);
  // As a browser gets it.
  const site = loadSiteIndex(JSON.parse(JSON.stringify(built)));

  const segments = openSegments(disk, "/index", sessionSchema);
  if (segments.kind !== "open") throw new Error(segments.kind);
  const view = createSegmentsView(segments.segments, sessionSchema.fields);
  const boosts = sessionSchema.fields.map(({ boost }) => boost);
  const sessionOf = view.sessionsOfTurns();
  const nameOf = {
    card: (doc: number) => view.key(doc),
    turn: (doc: number) => `${view.key(sessionOf[doc] ?? 0)}#${view.turn(doc).number}`,
  };
  for (const [what, node] of queries) {
    const evaluation = evaluate(view, [node], boosts);
    for (const kind of ["card", "turn"] satisfies DocumentKind[]) {
      const set: DocumentSet = evaluation[kind];
      const wanted = new Map(
        Array.from(documentsIn(set), (doc) => [nameOf[kind](doc), set.scores[doc] ?? 0] as const),
      );
      const named = (id: number): string =>
        kind === "card" ? (sessions[id]?.key ?? "") : (turnNames[id] ?? "");
      const found = [...scoreClause(site, kind, node)];
      expect([what, kind, found.length]).toEqual([what, kind, wanted.size]);
      const off = found.filter(([id, score]) => {
        const right = wanted.get(named(id)) ?? Number.NaN;
        return !(Math.abs(right - score) <= 1e-9 * Math.max(1, Math.abs(right)));
      });
      expect([what, kind, off]).toEqual([what, kind, []]);
    }
  }
  expect(evaluate(view, [term("token")], boosts).turn.count).toBeGreaterThan(1_000);
  segments.close();
});

const NOW = Date.UTC(2026, 10, 16);
/** Phrases are looked for until a page is full. */
const PAGE = 20;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Sessions over a year; every tenth is a fork that begins with the turns of the one before it. */
function makeForks(): readonly IndexedSession[] {
  const made = makeSessions().slice(0, 120);
  return made.map((session, number) => {
    const at = NOW - number * 3 * DAY_MS;
    const isFork = number % 10 === 9;
    const source = isFork ? (made[number - 1] ?? session) : session;
    const original = isFork ? number - 1 : number;
    const documents = session.documents.map((document, place): IndexDocument => {
      if (place === 0) return { ...document, at };
      const isCopy = isFork && place < 10;
      const { fields } = (isCopy ? source : session).documents[place] ?? document;
      const identity = `claude ${isCopy ? original : number} ${place}`;
      return { ...document, at, fields, identity, copied: isCopy };
    });
    return { ...session, documents };
  });
}

test("a site answers as the command line does: the same sessions, scores and order, with dates, phrases and forks", async () => {
  const sessions = makeForks();
  const disk = createMemoryDisk(() => 0);
  const engine = createEmbeddedEngine(disk, "/index", nodeProcesses, sessionSchema);
  const opened = await engine.write();
  if (opened.kind !== "open") throw new Error(opened.kind);
  for (const session of sessions) await opened.writer.put(session);
  await opened.writer.commit({ tidy: "all" });
  await opened.writer.close();
  const reading = await engine.read();
  if (reading.kind !== "open") throw new Error(reading.kind);

  const builder = createSiteBuilder();
  const texts = new Map<string, SiteTexts>();
  const listed = sessions.map(({ key, documents: [card, ...turns] }): SiteSession => {
    const [agent = "", id = ""] = key.split(":");
    const own: SiteTexts = {
      card: card?.fields ?? {},
      turns: turns.map(({ turn, context, at, fields, identity, copied }) => ({
        turn,
        context,
        at,
        fields,
        ...(identity !== undefined && { identity, isCopy: copied === true }),
      })),
    };
    texts.set(key, own);
    builder.add(own);
    const where = { title: null, project: null, branch: null, startedAt: null, name: key, texts: key };
    return { agent, id, ...where, endedAt: card?.at ?? null, turns: turns.length, hasPage: true };
  });
  const data = JSON.parse(JSON.stringify(builder.finish()));
  const site = { index: loadSiteIndex(data.index), sessions: listed, turns: data.turns };
  const clock = { now: NOW, offsetMinutesAt: () => 0 };
  const textsOf = async ({ texts: name }: SiteSession): Promise<SiteTexts> =>
    texts.get(name) ?? { card: {}, turns: [] };

  for (const typed of [
    "token refresh",
    "getUserToken timeout",
    "schema in august",
    '"auth client"',
    "migration v2.1",
  ]) {
    const query = parseQuery(typed);
    const answer = await reading.reader.search({
      ...searchClauses(query, noFilter),
      filter: { not: [] },
      sort: "relevance",
      offset: 0,
      limit: PAGE,
      turnsPerHit: 3,
      now: NOW,
      dates: queryDates(query.words, clock),
    });
    if (answer.kind !== "answer") throw new Error(answer.kind);
    const results = searchSite(site, typed, clock);
    const found = (await keepPhrases(site, results, textsOf, PAGE)).slice(0, PAGE);
    expect([typed, found.map(({ session }) => sessions[session]?.key)]).toEqual([
      typed,
      answer.hits.map(({ key }) => key),
    ]);
    expect(found.length).toBeGreaterThan(3);
    for (const [at, { score }] of found.entries())
      expect(score).toBeCloseTo(answer.hits[at]?.score ?? Number.NaN, 8);
  }
  await reading.reader.close();
});
