import type { LogImage } from "../../agents/log-images.ts";
import type { Digest } from "../../extract/digest.ts";
import type { Context, Session, Step, ToolCall, Turn } from "../../session/session.ts";
import { type CallDetail, viewCall } from "../call-view.ts";
import { isoTime } from "../json/session-json.ts";
import {
  contextWords,
  countOf,
  formatNumber,
  noteWord,
  outcomeSigns,
  subagentWords,
  turnWords,
  utcMinute,
} from "../words.ts";
import { type Html, html, joined } from "./markup.ts";
import { pageStyle } from "./page-style.ts";
import { codeHtml, proseHtml, typedHtml } from "./prose.ts";
import { digestSections, factsHtml, requestsHtml } from "./sections-html.ts";

export interface HtmlMeta {
  /** The agent's command that resumes the session. */
  readonly resume: string;
  /** Images of requests, by the number of the turn; absent: the page says how many there are. */
  readonly images?: ReadonlyMap<number, readonly LogImage[]>;
  /** The page that lists all sessions, relative to this one; absent: the page stands alone. */
  readonly list?: string | undefined;
}

/**
 * Renders a session as one self-contained page: no script, nothing loaded from anywhere, and a policy that forbids both.
 * All text from the log is escaped by the `html` template. As with the markdown, the caller masks the session first and
 * passes the digest of the masked session.
 */
export function renderHtml(session: Session, digest: Digest, meta: HtmlMeta): string {
  return Array.from(htmlParts(session, digest, meta)).join("");
}

/** Renders the same page in parts, in order. */
export function* htmlParts(session: Session, digest: Digest, meta: HtmlMeta): Generator<string> {
  const title = digest.title ?? `Session ${digest.id}`;
  yield `${headOf(title).html}\n<body>\n`;
  const back =
    meta.list === undefined ? "" : html`<a class="back" href="${meta.list}">All sessions</a>\n`.html;
  yield `<main>\n${back}${html`<header><h1>${title}</h1>\n${factsHtml(digest, meta.resume)}</header>`.html}\n`;
  if (session.turns.length > 1) yield `${requestsHtml(session).html}\n`;
  for (const section of digestSections(session, digest)) yield `${section.html}\n`;
  yield* conversationParts(session, meta.images ?? new Map());
  yield "</main>\n</body>\n</html>\n";
}

/** Only the style in the page itself is allowed. */
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

function* conversationParts(
  session: Session,
  images: ReadonlyMap<number, readonly LogImage[]>,
): Generator<string> {
  const steps = stepsHtml(session);
  const before = steps(session.preamble, "current").html;
  if (before === "" && session.turns.length === 0 && session.subagents.length === 0) return;
  yield '<section id="conversation"><h2>Conversation</h2>\n';
  if (before !== "") yield `<article class="turn">\n${before}\n</article>\n`;
  for (const turn of session.turns) yield `${turnHtml(turn, images.get(turn.number) ?? [], steps).html}\n`;
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

function turnHtml(turn: Turn, images: readonly LogImage[], steps: StepsHtml): Html {
  const { number, at, context } = turn;
  const minute = utcMinute(at);
  const time = minute === null ? null : html`<time datetime="${isoTime(at)}">${minute}</time>`;
  const where = contextWords(context);
  const words = turnWords({ ...turn, at: null, context: "current" }).map(
    (word) => html` <span class="words">${word}</span>`,
  );
  return html`<article class="turn ${context}" id="turn-${number}">
<h3><a href="#turn-${number}">${number}</a> ${time}${where === null ? null : html` <span class="chip">${where}</span>`}${joined(words)}</h3>
<div class="request">${typedHtml(turn.request)}${imagesHtml(turn, images)}</div>
${steps(turn.steps, context)}
</article>`;
}

/** The images of a request, in the page itself. */
function imagesHtml({ images: count = 0 }: Turn, images: readonly LogImage[]): Html {
  const shown = images.map(
    ({ mediaType, data }, index) =>
      html`<img class="picture" alt="Image ${index + 1} of the request" src="data:${mediaType};base64,${data}">`,
  );
  const missing = count - images.length;
  const rest = missing > 0 ? [html`<p class="words">${countOf(missing, "image")} not shown</p>`] : [];
  return joined([...shown, ...rest]);
}

const SHORT_NOTE_CHARS = 200;

type StepsHtml = (steps: readonly Step[], context: Context) => Html;

/** Renders the steps of a turn: replies as text, tool calls and thinking as lines that unfold, grouped in boxes. */
function stepsHtml(session: Session): StepsHtml {
  const compacted = new Map(session.compactions.map(({ summary }, index) => [summary, index + 1]));
  const agents = new Map(session.subagents.map(({ callId }, index) => [callId, index + 1]));

  const stepHtml = (step: Exclude<Step, { kind: "tool" }>): Html | undefined => {
    switch (step.kind) {
      case "reply":
        if (step.text.trim() === "") return undefined;
        return step.isError
          ? html`<div class="reply error">${proseHtml(step.text)}</div>`
          : html`<div class="reply">${proseHtml(step.text)}</div>`;
      case "thinking":
        if (step.text.trim() === "") return undefined;
        return html`<details class="call thinking"><summary>Thinking · ${formatNumber(step.chars)} characters</summary><div>${proseHtml(step.text)}</div></details>`;
      case "summary": {
        const number = step.of === "compaction" ? compacted.get(step.text) : undefined;
        if (number !== undefined)
          return html`<p class="mark"><a href="#compaction-${number}">Compacted here</a></p>`;
        const title = step.of === "branch" ? "Summary of an abandoned branch" : "Summary of what came before";
        return html`<details class="aside"><summary>${title}</summary>${proseHtml(step.text)}</details>`;
      }
      case "note":
        return noteHtml(step);
    }
  };

  return (steps, context) => {
    const parts: Html[] = [];
    let work: Html[] = [];
    let now = context;
    const flush = (): void => {
      if (work.length > 0) parts.push(html`<div class="calls">${joined(work, "\n")}</div>`);
      work = [];
    };
    for (const step of steps) {
      const part =
        step.kind === "tool"
          ? callHtml(step.call, session.project, agents.get(step.call.id))
          : stepHtml(step);
      if (part === undefined) continue;
      const isWork = step.kind === "tool" || step.kind === "thinking";
      if (!isWork || step.context !== now) flush();
      if (step.context !== now) {
        now = step.context;
        parts.push(html`<p class="mark">From here: ${contextWords(now) ?? "in the current context"}</p>`);
      }
      (isWork ? work : parts).push(part);
    }
    flush();
    return joined(parts, "\n");
  };
}

function noteHtml({ about, text }: Extract<Step, { kind: "note" }>): Html | undefined {
  if (about === "meta" || text.trim() === "") return undefined;
  const word = noteWord(about);
  const isShort = text.length <= SHORT_NOTE_CHARS && !text.trim().includes("\n");
  if (isShort && about !== "custom") return html`<p class="note">${word}: ${text.trim()}</p>`;
  return html`<details class="aside"><summary>${word} · ${formatNumber(text.length)} characters</summary>${codeHtml(text, "text")}</details>`;
}

function callHtml(call: ToolCall, project: string | null, agent: number | undefined): Html {
  const { name, subject, state, outcome, details } = viewCall(call, project);
  const line = html`<span class="state">${outcomeSigns[state]}</span> <b>${name}</b> <code>${subject}</code>${
    outcome === "" ? null : html` <span class="outcome">${outcome}</span>`
  }`;
  const link =
    agent === undefined
      ? null
      : html`<p class="mark"><a href="#subagent-${agent}">Sub-agent ${agent}</a></p>`;
  if (details.length === 0 && link === null) return html`<div class="call ${state}">${line}</div>`;
  return html`<details class="call ${state}"><summary>${line}</summary>${link}${details.map(detailHtml)}</details>`;
}

function detailHtml({ of, part, note }: CallDetail): Html {
  const body = part.kind === "prose" ? proseHtml(part.text) : codeHtml(part.text, part.language);
  return html`<div class="${of}">${body}${note === null ? null : html`<p class="cut">${note}.</p>`}</div>`;
}
