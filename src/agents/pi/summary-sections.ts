import type { Digest } from "../../extract/digest.ts";
import { extractDigest } from "../../extract/extract-digest.ts";
import { sentences } from "../../extract/sentences.ts";
import { cutLine } from "../../extract/session-messages.ts";
import type { Session, Step, Turn } from "../../session/session.ts";
import type { PiSections } from "./summary.ts";

const MAX_GOALS = 6;
const MAX_CONSTRAINTS = 10;
const MAX_DONE = 15;
const MAX_BLOCKED = 5;
const MAX_DECISIONS = 12;
const MAX_STEPS = 8;
const FIRST_GOAL_CHARS = 600;
const ITEM_CHARS = 240;
const REQUEST_CHARS = 120;
/** Pi cuts tool results at this length before it has them summarized. */
const RESULT_CHARS = 2_000;
/** A thumbs-up has no content. */
const MIN_ANSWER = 4;

/**
 * Words by which the user insists on something. Only a few plain ones: a list with wrong ones is worse than a short
 * list.
 */
const INSISTS =
  /\b(?:must(?: not|n't)?|never|always|avoid|prefer|make sure|ensure|only (?:use|change|touch|edit)|instead of|rather than|no need to|required?)\b|^(?:please |but |and )?(?:don't|do not|keep|no more) /i;

const SAYS_NOTHING = /^\s*(?:\(no output\)\s*)?(?:Command exited with code \d+\s*)?$/;

/** Fills the sections of Pi's summary from the digest of a session, without a model. */
export function piSectionsOf(session: Session): PiSections {
  const digest = extractDigest(session);
  const last = session.turns.at(-1);
  return {
    goal: goals(session),
    constraints: constraints(session),
    done: [...closedItems(session), ...session.turns.flatMap(outcome)].slice(-MAX_DONE),
    inProgress: [
      ...digest.pending
        .filter(({ status }) => status === "in_progress")
        .map(({ text }) => cutLine(text, ITEM_CHARS)),
      ...(last === undefined ? [] : unfinished(last)),
    ],
    blocked: blocked(session),
    decisions: digest.decisions.slice(-MAX_DECISIONS).map(({ text }) => decision(text)),
    nextSteps: digest.pending
      .filter(({ source, status }) => source !== "interrupted" && status !== "in_progress")
      .slice(0, MAX_STEPS)
      .map(({ text }) => cutLine(text, ITEM_CHARS)),
    critical: criticalContext(session, digest),
  };
}

/**
 * The requests, the first at some length; words that only tell the agent to continue ("yes", "go on") are not a goal.
 */
function goals(session: Session): readonly string[] {
  const requests = session.turns.filter(({ via }) => via !== "bash").map(({ request }) => request.trim());
  const telling = requests.filter((request) => request.split(/\s+/).length > 3);
  const [first, ...more] = telling.length > 0 ? telling : requests.filter((request) => request !== "");
  if (first === undefined) return [];
  return [
    cutLine(first, FIRST_GOAL_CHARS),
    ...more.slice(-MAX_GOALS).map((text) => cutLine(text, ITEM_CHARS)),
  ];
}

function constraints(session: Session): readonly string[] {
  const found = new Set<string>();
  for (const { request } of session.turns) {
    for (const sentence of sentences(request)) {
      // A question does not insist on anything.
      if (INSISTS.test(sentence) && !sentence.endsWith("?")) found.add(cutLine(sentence, ITEM_CHARS));
    }
  }
  return [...found].slice(-MAX_CONSTRAINTS);
}

function closedItems(session: Session): readonly string[] {
  return session.work
    .filter(({ text, status }) => status === "completed" && text !== "")
    .map(({ text }) => cutLine(text, ITEM_CHARS));
}

/** A turn that ended with a reply counts as done: its request and its answer. */
function outcome(turn: Turn): readonly string[] {
  const reply = lastReply(turn);
  if (reply === undefined || !endsWithWords(turn)) return [];
  const answer = cutLine(firstSentence(reply), ITEM_CHARS);
  return answer.length < MIN_ANSWER ? [] : [`${cutLine(turn.request, REQUEST_CHARS)} → ${answer}`];
}

function unfinished(turn: Turn): readonly string[] {
  return endsWithWords(turn) || turn.request.trim() === "" ? [] : [cutLine(turn.request, ITEM_CHARS)];
}

function endsWithWords({ steps }: Turn): boolean {
  const last = steps.findLast(({ kind }) => kind === "reply" || kind === "tool");
  return last?.kind === "reply" && !last.isError;
}

function lastReply({ steps }: Turn): string | undefined {
  const reply = steps.findLast((step) => step.kind === "reply" && step.text.trim() !== "");
  return reply?.kind === "reply" ? reply.text : undefined;
}

function firstSentence(text: string): string {
  for (const sentence of sentences(text)) if (sentence.length > 3) return sentence;
  return text;
}

/** Calls that failed the last time they were tried. */
function blocked(session: Session): readonly string[] {
  const last = new Map<string, string | undefined>();
  for (const { steps } of session.turns) {
    for (const step of steps) {
      if (step.kind !== "tool") continue;
      const key = `${step.call.name} ${step.call.command ?? step.call.files[0]?.path ?? ""}`.trim();
      last.delete(key);
      last.set(key, failure(step));
    }
  }
  return [...last]
    .flatMap(([key, text]) => (text === undefined ? [] : [`${cutLine(key, REQUEST_CHARS)}: ${text}`]))
    .slice(-MAX_BLOCKED);
}

function failure(step: Extract<Step, { kind: "tool" }>): string | undefined {
  const { result } = step.call;
  // A search that finds nothing also fails, without output, but does not block anything.
  if (result === undefined || !result.isError || SAYS_NOTHING.test(result.text)) return undefined;
  return cutLine(result.text, ITEM_CHARS);
}

/** `**what**: why`, if the sentence has both. */
function decision(text: string): string {
  const line = cutLine(text, ITEM_CHARS);
  const reason = /^(.{8,}?),? (because|since|so that) (.+)$/i.exec(line);
  return reason === null ? `**${line}**` : `**${reason[1]}**: ${reason[2]} ${reason[3]}`;
}

function criticalContext(session: Session, digest: Digest): readonly string[] {
  const items: string[] = [];
  const reply = session.turns.map(lastReply).findLast((text) => text !== undefined);
  if (reply !== undefined) items.push(`Last reply: ${cutLine(reply, FIRST_GOAL_CHARS)}`);
  const failed = digest.commands.filter(({ exitCode }) => exitCode !== null && exitCode !== 0).at(-1);
  if (failed !== undefined)
    items.push(
      `Last failed command: \`${cutLine(failed.command, ITEM_CHARS)}\` (exit code ${failed.exitCode})`,
    );
  const error = lastError(session);
  if (error !== undefined) items.push(`Last error:\n${error}`);
  const tools = Object.entries(digest.tools).map(([name, { count }]) => `${name} ${count}`);
  if (tools.length > 0) items.push(`Tools used: ${cutLine(tools.join(", "), ITEM_CHARS)}`);
  return items;
}

function lastError(session: Session): string | undefined {
  for (const { steps } of session.turns.toReversed()) {
    const step = steps.findLast((one) => one.kind === "tool" && one.call.result?.isError === true);
    if (step?.kind !== "tool" || step.call.result === undefined) continue;
    const { text, chars } = step.call.result;
    const kept = text.slice(0, RESULT_CHARS).trim();
    if (kept === "") return undefined;
    return chars > kept.length ? `${kept}\n\n[... ${chars - kept.length} more characters truncated]` : kept;
  }
  return undefined;
}

/** The start of a turn of which the model sees only the end. */
export function turnPrefixSummary(prefix: Session): string {
  const steps = prefix.turns.flatMap((turn) => turn.steps);
  const said = steps.flatMap((step) =>
    step.kind === "reply" ? [`- ${cutLine(firstSentence(step.text), ITEM_CHARS)}`] : [],
  );
  const sections = piSectionsOf(prefix);
  const request = prefix.turns.map(({ request }) => request.trim()).find((text) => text !== "");
  const list = (items: readonly string[]): string => (items.length === 0 ? "- (none)" : items.join("\n"));
  return [
    `## Original Request\n${request === undefined ? "(none)" : cutLine(request, RESULT_CHARS)}`,
    `## Progress So Far\n${list(said.slice(-MAX_DONE))}`,
    `## Context Needed to Continue\n${list(
      [...sections.blocked, ...sections.critical].map((item) => `- ${item.replaceAll("\n", "\n  ")}`),
    )}`,
  ].join("\n\n");
}
