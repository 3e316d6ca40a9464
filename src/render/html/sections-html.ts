import type { Digest } from "../../extract/digest.ts";
import { summaryCore } from "../../extract/summary-text.ts";
import type { Session } from "../../session/session.ts";
import {
  contextWords,
  countOf,
  formatNumber,
  namedFiles,
  outcomeOf,
  outcomeSigns,
  pendingSign,
  pendingWords,
  tokenWords,
  touchedFiles,
  utcMinute,
  utcSpan,
} from "../words.ts";
import { type Html, html, joined } from "./markup.ts";
import { inlineHtml, proseHtml } from "./prose.ts";

/** Renders the table of facts: agent, place, time, size. */
export function factsHtml(digest: Digest, resume: string): Html {
  const tools = Object.entries(digest.tools)
    .sort(([, a], [, b]) => b.count - a.count)
    .map(([name, { count, errors }]) => `${name} ${count}${errors > 0 ? ` (${errors} failed)` : ""}`);
  const much = [
    countOf(digest.turns, "turn"),
    countOf(digest.messages, "message"),
    ...(digest.compactions > 0 ? [countOf(digest.compactions, "compaction")] : []),
    ...(digest.subagents.length > 0 ? [countOf(digest.subagents.length, "sub-agent")] : []),
    `about ${formatNumber(digest.tokens.total)} tokens`,
  ];
  const rows: readonly (readonly [string, Html | null])[] = [
    [
      "Agent",
      html`${[digest.agent, digest.version, digest.model].filter((word) => word !== null).join(" · ")}`,
    ],
    ["Where", digest.project === null ? null : whereHtml(digest.project, digest.branch)],
    ["When", textOrNull(utcSpan(digest.startedAt, digest.endedAt))],
    ["How much", html`${much.join(", ")}`],
    ["Tools", tools.length === 0 ? null : html`${tools.join(", ")}`],
    [
      "From",
      digest.lineage === null ? null : html`${digest.lineage.kind} of <code>${digest.lineage.session}</code>`,
    ],
    ["Session", html`<code>${digest.id}</code>`],
    ["Resume", resume === "" ? null : html`<code>${resume}</code>`],
  ];
  return html`<dl>${rows.map(([name, value]) => (value === null ? html`` : html`<dt>${name}</dt><dd>${value}</dd>`))}</dl>`;
}

function whereHtml(project: string, branch: string | null): Html {
  return html`<code>${project}</code>${branch === null ? null : html` on <code>${branch}</code>`}`;
}

function textOrNull(text: string | null): Html | null {
  return text === null ? null : html`${text}`;
}

/** Longer lists are folded, so that the conversation stays near. */
const SHOWN_ROWS = 15;

function foldMany(count: number, summary: string, body: Html): Html {
  return count <= SHOWN_ROWS
    ? body
    : html`<details class="many"><summary>${summary}</summary>${body}</details>`;
}

function sectionHtml(id: string, title: string, body: Html): Html {
  return html`<section id="${id}"><h2>${title}</h2>\n${body}</section>`;
}

/** Renders the sections about a session, up to the conversation. */
export function* digestSections(session: Session, digest: Digest): Generator<Html> {
  const last = session.compactions.findLast(({ summary }) => summary !== null)?.summary ?? null;
  if (last !== null || digest.currentWork !== null) {
    const said =
      digest.currentWork === null ? null : html`<p><b>Last said:</b> ${inlineHtml(digest.currentWork)}</p>`;
    const summary = last === null ? null : proseHtml(summaryCore(last));
    yield sectionHtml("summary", "Summary", html`${said}${summary}`);
  }
  if (digest.decisions.length > 0) {
    const items = digest.decisions.map(
      ({ turn, text }) => html`<li>${proseHtml(text)} ${turnLink(turn)}</li>`,
    );
    yield sectionHtml("decisions", "Decisions", html`<ul class="decisions">${items}</ul>`);
  }
  const files = filesHtml(digest);
  if (files !== null) yield sectionHtml("files", "Files", files);
  if (digest.commands.length > 0) yield sectionHtml("commands", "Commands", commandsHtml(digest));
  if (digest.pending.length > 0) yield sectionHtml("pending", "Pending", pendingHtml(digest));
  if (session.compactions.length > 0)
    yield sectionHtml("compactions", "Compactions", compactionsHtml(session));
}

function turnLink(turn: number): Html {
  return turn === 0 ? html`` : html`<a class="turn-link" href="#turn-${turn}">turn ${turn}</a>`;
}

function filesHtml(digest: Digest): Html | null {
  const touched = touchedFiles(digest);
  const named = namedFiles(digest);
  if (touched.length + named.length === 0) return null;
  const rows = touched.map(
    ({ name, reads, writes }) =>
      html`<tr><td class="count">${writes === 0 ? "" : writes}</td><td class="count">${reads === 0 ? "" : reads}</td><td><code>${name}</code></td></tr>\n`,
  );
  const table = html`<div class="wide"><table class="files"><thead><tr><th>written</th><th>read</th><th>file</th></tr></thead><tbody>\n${rows}</tbody></table></div>`;
  const also = html`<p class="also">Also named: ${joined(
    named.map((name) => html`<code>${name}</code>`),
    ", ",
  )}</p>`;
  const written = touched.filter(({ writes }) => writes > 0).length;
  const summary = `${countOf(touched.length, "file")}, ${written} written`;
  return foldMany(
    touched.length,
    summary,
    html`${touched.length === 0 ? null : table}${named.length === 0 ? null : also}`,
  );
}

function commandsHtml({ commands }: Digest): Html {
  const items = commands.map(({ command, exitCode, turn }) => {
    const state = outcomeOf(exitCode);
    const mark = outcomeSigns[state];
    const exit =
      exitCode === null || exitCode === 0 ? null : html` <span class="outcome">exit ${exitCode}</span>`;
    return html`<li class="${state}"><span class="state">${mark}</span> <code>${command.trim()}</code>${exit} ${turnLink(turn)}</li>\n`;
  });
  const failed = commands.filter(({ exitCode }) => exitCode !== null && exitCode !== 0).length;
  const summary = `${countOf(commands.length, "command")}${failed === 0 ? "" : `, ${failed} failed`}`;
  return foldMany(commands.length, summary, html`<ul class="commands">\n${items}</ul>`);
}

function pendingHtml({ pending }: Digest): Html {
  const items = pending.map((item) => {
    const from = pendingWords(item);
    const words = from === "todo" ? null : html` <span class="words">${from}</span>`;
    return html`<li>${pendingSign(item)} ${inlineHtml(item.text)}${words} ${item.turn === null ? null : turnLink(item.turn)}</li>\n`;
  });
  return html`<ul class="pending">\n${items}</ul>`;
}

function compactionsHtml({ compactions }: Session): Html {
  const items = compactions.map((compaction, index) => {
    const { at, trigger, afterTurn, summary } = compaction;
    const words = [
      ...(at === null ? [] : [`${utcMinute(at)} UTC`]),
      ...(trigger === null ? [] : [trigger === "auto" ? "automatic" : "manual"]),
      ...tokenWords(compaction),
    ];
    const where = afterTurn === 0 ? html`before the first turn` : html`after ${turnLink(afterTurn)}`;
    const said =
      summary === null
        ? null
        : html`<details class="aside"><summary>What it said</summary>${proseHtml(summary)}</details>`;
    return html`<li id="compaction-${index + 1}">${words.map((word) => html`${word}, `)}${where}${said}</li>\n`;
  });
  return html`<ol>\n${items}</ol>`;
}

/** Renders the table of contents: every request in one line. */
export function requestsHtml({ turns }: Session): Html {
  const items = turns.map(({ number, request, context }) => {
    const where = contextWords(context);
    const line = request.trim() === "" ? `Turn ${number}` : request.trim().slice(0, 300);
    return html`<li class="${context}"${where === null ? null : html` title="${where}"`}><a href="#turn-${number}"><span>${line}</span></a></li>\n`;
  });
  return html`<nav aria-label="Requests"><h2>Requests</h2><ol>\n${items}</ol></nav>`;
}
