import type { Context, Session, Step, ToolCall } from "../../session/session.ts";
import { type CallDetail, viewCall } from "../call-view.ts";
import { contextWords, formatNumber, noteWord } from "../words.ts";
import { type Html, html, joined } from "./markup.ts";
import { codeHtml, proseHtml } from "./prose.ts";

const SHORT_NOTE_CHARS = 200;

export type StepsHtml = (steps: readonly Step[], context: Context) => Html;

/** What happened in a turn: replies as text, tool calls and thinking as lines that unfold, those in a row in one box. */
export function stepsHtml(session: Session): StepsHtml {
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
        const title =
          step.of === "branch" ? "Summary of a branch that was left" : "Summary of what came before";
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

const marks = { done: "✓", failed: "✗", unanswered: "·" } as const;

function callHtml(call: ToolCall, project: string | null, agent: number | undefined): Html {
  const { name, subject, state, outcome, details } = viewCall(call, project);
  const line = html`<span class="state">${marks[state]}</span> <b>${name}</b> <code>${subject}</code>${
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
