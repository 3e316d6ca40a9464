import type { Context } from "../session/session.ts";
import type { SiteIndexJson } from "./site-index.ts";

/*
 * The data files of a site. Each is a script that calls one function of the page with its name and JSON as text,
 * because a page that is opened from disk may load scripts but not fetch files. Their names change with their
 * content, and `index.html` names those that belong together, so that a site is always consistent.
 */

/** A session in the list of the site. */
export interface SiteSession {
  readonly agent: string;
  readonly id: string;
  readonly title: string | null;
  readonly project: string | null;
  readonly branch: string | null;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly turns: number;
  /** The name of its page, without folder and extension. */
  readonly name: string;
  /** The name of its texts, in the same form. */
  readonly texts: string;
  /** Whether it has a page: a session that could not be read has none. */
  readonly hasPage: boolean;
}

/** `data/sessions-VERSION.js`. */
export interface SiteSessions {
  readonly madeAt: number;
  readonly sessions: readonly SiteSession[];
}

/** `data/index-VERSION.js`: documents of turns by session and turn, and their places in the session's texts. */
export interface SiteIndexData {
  readonly index: SiteIndexJson;
  readonly turns: readonly SiteTurn[];
}

/**
 * The number of the session, the turn's own number, its context, its time, and its place in the texts. If some
 * session has a copy of it: the identity that the copies share, and whether this is one.
 */
export type SiteTurn = readonly [
  session: number,
  turn: number,
  context: Context,
  at: number | null,
  text: number,
  identity?: string,
  isCopy?: boolean,
];

/** `data/texts/NAME.js`: the texts of a session's card, and the stored fields of each document of its turns. */
export interface SiteTexts {
  readonly card: Readonly<Record<string, string>>;
  readonly turns: readonly SiteText[];
}

/** A document of a turn, as it was indexed. */
export interface SiteText {
  readonly turn: number;
  readonly context: Context;
  readonly at: number | null;
  readonly identity?: string;
  readonly isCopy?: boolean;
  readonly fields: Readonly<Record<string, string>>;
}

/** The function that data files call. */
export const REGISTER = "sessionsSite";

/** The text of a data file. Neither quotes nor `</script>` in a log can end it. */
export function dataScript(name: string, data: unknown): string {
  const json = JSON.stringify(JSON.stringify(data)).replaceAll("<", "\\u003c");
  return `${REGISTER}(${JSON.stringify(name)},${json});\n`;
}

/** Reads the output of `dataScript`; undefined for anything else. */
export function readDataScript(text: string): unknown {
  const [, json] = /^sessionsSite\("[\w/-]+",("(?:[^"\\]|\\.)*")\);\n$/s.exec(text) ?? [];
  try {
    return json === undefined ? undefined : JSON.parse(JSON.parse(json));
  } catch {
    return undefined;
  }
}
