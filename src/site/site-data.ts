import type { Context } from "../session/session.ts";
import type { SiteIndexJson } from "./site-index.ts";

/*
 * The files of a site that hold data. Each is a script that calls one function of the page with its name and JSON as text:
 * a page that is opened from disk may load scripts, but not fetch files.
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
  /** The name of its page and of its texts, without folder and ending. */
  readonly name: string;
  /** Whether it has a page: one that could not be read has none. */
  readonly hasPage: boolean;
}

/** `data/sessions.js`. */
export interface SiteSessions {
  readonly madeAt: number;
  readonly sessions: readonly SiteSession[];
}

/** `data/index.js`: documents of turns by the session and turn that they are of, and where in its texts they are. */
export interface SiteIndexData {
  readonly index: SiteIndexJson;
  readonly turns: readonly SiteTurn[];
}

/** The number of the session, the turn's own number, its context, its time, and its place in the texts. */
export type SiteTurn = readonly [
  session: number,
  turn: number,
  context: Context,
  at: number | null,
  text: number,
];

/** `data/texts/NAME.js`: the stored fields of each document of a session's turns. */
export type SiteTexts = readonly Readonly<Record<string, string>>[];

/** The function that data files call. */
export const REGISTER = "sessionsSite";

/** The text of a data file. Neither quotes nor `</script>` in a log can end it. */
export function dataScript(name: string, data: unknown): string {
  const json = JSON.stringify(JSON.stringify(data)).replaceAll("<", "\\u003c");
  return `${REGISTER}(${JSON.stringify(name)},${json});\n`;
}
