import type { Digest } from "../../extract/digest.ts";
import type { Session, Turn } from "../../session/session.ts";
import { isoTime } from "../json/session-json.ts";
import { contextWords, subagentWords, turnWords, utcMinute } from "../words.ts";
import { type Html, html, joined } from "./markup.ts";
import { pageStyle } from "./page-style.ts";
import { typedHtml } from "./prose.ts";
import { digestSections, factsHtml, requestsHtml } from "./sections-html.ts";
import { type StepsHtml, stepsHtml } from "./steps-html.ts";

export interface HtmlMeta {
  /** The agent's own command that goes on with the session. */
  readonly resume: string;
}

/**
 * A session as one page that needs nothing else: no script, nothing loaded from anywhere, and a policy that forbids
 * both. Text out of the log is escaped where it is put in, by `html`. As with the markdown, whoever calls this masks
 * the session first and takes the digest of the masked one.
 */
export function renderHtml(session: Session, digest: Digest, meta: HtmlMeta): string {
  return Array.from(htmlParts(session, digest, meta)).join("");
}

/** The same in parts, in order. */
export function* htmlParts(session: Session, digest: Digest, meta: HtmlMeta): Generator<string> {
  const title = digest.title ?? `Session ${digest.id}`;
  yield `${headOf(title).html}\n<body>\n`;
  yield `<main>\n${html`<header><h1>${title}</h1>\n${factsHtml(digest, meta.resume)}</header>`.html}\n`;
  if (session.turns.length > 1) yield `${requestsHtml(session).html}\n`;
  for (const section of digestSections(session, digest)) yield `${section.html}\n`;
  yield* conversationParts(session);
  yield "</main>\n</body>\n</html>\n";
}

/** The style stands in the page; nothing else may act or be loaded. */
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

function headOf(title: string): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>
${pageStyle}
</style>
</head>`;
}

function* conversationParts(session: Session): Generator<string> {
  const steps = stepsHtml(session);
  const before = steps(session.preamble, "current").html;
  if (before === "" && session.turns.length === 0 && session.subagents.length === 0) return;
  yield '<section id="conversation"><h2>Conversation</h2>\n';
  if (before !== "") yield `<article class="turn">\n${before}\n</article>\n`;
  for (const turn of session.turns) yield `${turnHtml(turn, steps).html}\n`;
  yield "</section>\n";
  if (session.subagents.length === 0) return;
  yield '<section id="subagents"><h2>Sub-agents</h2>\n';
  for (const [index, subagent] of session.subagents.entries()) {
    const about = subagent.description ?? subagent.id;
    const words = subagentWords(subagent).join(" · ");
    const prompt =
      subagent.prompt === null ? null : html`<div class="request">${typedHtml(subagent.prompt)}</div>`;
    yield `${
      html`<article class="turn subagent" id="subagent-${index + 1}">
<h3><a href="#subagent-${index + 1}">${index + 1}</a> ${about} <span class="words">${words}</span></h3>
${prompt}
${steps(subagent.steps, "subagent")}
</article>`.html
    }\n`;
  }
  yield "</section>\n";
}

function turnHtml(turn: Turn, steps: StepsHtml): Html {
  const { number, at, context } = turn;
  const minute = utcMinute(at);
  const time = minute === null ? null : html`<time datetime="${isoTime(at)}">${minute}</time>`;
  const where = contextWords(context);
  const words = turnWords({ ...turn, at: null, context: "current" }).map(
    (word) => html` <span class="words">${word}</span>`,
  );
  return html`<article class="turn ${context}" id="turn-${number}">
<h3><a href="#turn-${number}">${number}</a> ${time}${where === null ? null : html` <span class="chip">${where}</span>`}${joined(words)}</h3>
<div class="request">${typedHtml(turn.request)}</div>
${steps(turn.steps, context)}
</article>`;
}
