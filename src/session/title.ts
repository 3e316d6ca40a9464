import { once } from "../fs/once.ts";
import type { Compaction, Session, Step, ToolCall, Turn } from "./session.ts";
import { cutText } from "./text-budget.ts";

/** A title that the log or a file next to it has. */
export interface GivenTitle {
  readonly from: "custom" | "generated" | "summary" | "session-name";
  readonly text: string;
}

interface TitleSources extends Pick<Session, "agent" | "branch" | "preamble" | "turns" | "subagents"> {
  /** Names by which people address agents. */
  readonly agentNames: readonly string[];
  /** The titles in order of precedence. */
  readonly given: readonly GivenTitle[];
  readonly compactions: readonly Compaction[];
}

type Title = Pick<Session, "title" | "titleFrom">;

/**
 * Chooses the title of a session: a given one, or else the first request with a topic. If the request only started
 * something ("continue", `/review 158`), the text that the agent read then is the topic: a plan, a pull request, a
 * teammate's task, the summary of an earlier conversation. The last resorts are commits, the branch, and any words.
 */
export function chooseTitle(sources: TitleSources): Title {
  const { given, preamble, turns } = sources;
  const address = addressOf(sources);
  for (const { from, text } of given) {
    // A title that the user chose is always used.
    const title = from === "custom" ? oneLine(text) : stripped(text);
    if (from === "generated" && isRequest(text, turns)) continue;
    if (title !== "" && (from === "custom" || ownWords(title) > 0)) return { title, titleFrom: from };
  }
  const started = startedBy(sources);
  const suffix = started === undefined || started.length > COMMAND_CHARS ? "" : ` (${started})`;
  const topic = (text: string | undefined, titleFrom: Title["titleFrom"]): Title | undefined =>
    text === undefined ? undefined : { title: `${stripped(text)}${suffix}`, titleFrom };

  for (const [index, turn] of turns.entries()) {
    const title = requestTitle(turn, address);
    if (title !== undefined) return { title, titleFrom: "request" };
    const found = topicOf(index === 0 ? [...preamble, ...turn.steps] : turn.steps);
    if (found !== undefined) return topic(found.text, found.from) ?? NO_TITLE;
  }
  const alone = turns.length === 0 ? topicOf(preamble) : undefined;
  return (
    topic(alone?.text, alone?.from ?? null) ??
    topic(summaryTopics(sources.compactions), "compaction") ??
    topic(commitSubject([...preamble, ...turns.flatMap(({ steps }) => steps)]), "commit") ??
    topic(branchWords(sources.branch), "branch") ??
    lastResort(sources, started)
  );
}

/** Some agents name a session after its first request: such a name is treated like a request. */
function isRequest(title: string, [first]: readonly Turn[]): boolean {
  return first !== undefined && oneLine(first.request) === oneLine(title);
}

const NO_TITLE: Title = { title: null, titleFrom: null };

const TITLE_CHARS = 200;
/** For a longer command, only the topic is shown. */
const COMMAND_CHARS = 40;

/** Any words at all: a vague request, the command that started it, a sub-agent's prompt. */
function lastResort({ turns, subagents }: TitleSources, started: string | undefined): Title {
  const request = turns.find(({ via, request: text }) => via !== "bash" && text.trim() !== "");
  if (request !== undefined) return { title: oneLine(request.request), titleFrom: "request" };
  if (started !== undefined) return { title: started, titleFrom: "command" };
  const prompt = subagents.find((subagent) => subagent.prompt !== null)?.prompt;
  if (typeof prompt === "string") return { title: stripped(prompt), titleFrom: "subagent" };
  const shell = turns.find(({ request: text }) => text.trim() !== "");
  return shell === undefined ? NO_TITLE : { title: oneLine(`! ${shell.request}`), titleFrom: "command" };
}

/** Returns the slash command that started a session, if one did. */
function startedBy({ preamble, turns }: TitleSources): string | undefined {
  const note = preamble.find((step) => step.kind === "note" && step.about === "command");
  if (note?.kind === "note") return oneLine(note.text);
  return turns[0]?.via === "command" ? oneLine(turns[0].request) : undefined;
}

/** Returns a title from the user's request; undefined if the request is too vague for one. */
function requestTitle({ via, request }: Turn, address: Address): string | undefined {
  if (via === "bash") return undefined;
  // A command that was typed ahead is a request like any other.
  const text = request.replace(/^\s*\/[\w:.-]+(?=\s|$)\s*/, "");
  const plan = PLAN_REQUEST.exec(text);
  const title = stripped(plan === null ? text : (headingIn(text.slice(plan[0].length)) ?? text), address);
  return saysSomething(title.replace(address.name, " ")) ? title : undefined;
}

const PLAN_REQUEST =
  /^\s*(?:please )?(?:implement|execute|carry out|follow|work on)(?: on)? (?:the following|this|the) plan\b[^\n]{0,40}?[:.]?\s*(?=\n|#|$)/i;

/** Beginnings of texts without a topic, removed one after the other. */
const PREFIXES: readonly RegExp[] = [
  /^implement the following plan:?\s*/i,
  /^(?:#{1,6}|[-*>\u2022])\s+/,
  /^\*\*|^["'`]{3}\w*\s/,
  /^(?:implementation |detailed )?plan(?: for)?\s*[:\u2013\u2014-]\s*/i,
  /^\[(?:image|pasted text|screenshot)[^\]]*\]\s*/i,
  /^<[\w-]+(?:\s[^<>]*)?>\s*/,
  /^(?:hey|hi|hello)(?: there)?\s*[,.!\u2013\u2014-]+\s*/i,
  /^(?:ok|okay|alright|right|so|now|well)\s*[,.!\u2013\u2014-]+\s*/i,
];

/** The line before and after pasted code. */
const CODE_FENCE = /(?<=^|\s)```[\w-]*(?=\s|$)/g;

/** How users address agents. */
interface Address {
  /** A greeting of any agent, and the name of this one: the name of another may be the topic. */
  readonly prefixes: readonly RegExp[];
  readonly name: RegExp;
}

const NOBODY: Address = { prefixes: [], name: /(?!)/ };
const addresses = new Map<string, Address>();

function addressOf({ agent, agentNames }: Pick<TitleSources, "agent" | "agentNames">): Address {
  if (agentNames.length === 0) return NOBODY;
  const names = agentNames.map((name) => name.replace(/[^\w ]/g, "\\$&")).join("|");
  const key = `${agent} ${names}`;
  const known = addresses.get(key);
  if (known !== undefined) return known;
  const made: Address = {
    prefixes: [
      new RegExp(`^(?:hey|hi|hello)(?: there)?[ ,]+(?:${names})\\s*[,.!–—-]+\\s*`, "i"),
      new RegExp(`^${agent.replace(/\W/g, "\\$&")}\\s*[,:]\\s*`, "i"),
    ],
    name: new RegExp(`^(?:(?:hey|hi|hello)(?: there)?[ ,]+)?(?:${names})\\b`, "i"),
  };
  addresses.set(key, made);
  return made;
}

function stripped(text: string, { prefixes }: Address = NOBODY): string {
  let rest = text.slice(0, 20 * TITLE_CHARS).trim();
  for (let before = ""; before !== rest; ) {
    before = rest;
    for (const prefix of [...PREFIXES, ...prefixes]) rest = rest.replace(prefix, "");
  }
  return oneLine((rest === "" ? text : rest).replace(CODE_FENCE, " "));
}

function oneLine(text: string): string {
  const line = text
    .slice(0, 4 * TITLE_CHARS)
    .replace(/\s+/g, " ")
    .trim();
  return line.length <= TITLE_CHARS ? line : `${cutText(line, TITLE_CHARS - 1)}…`;
}

/** Words that are in any request. */
const EMPTY_WORDS: ReadonlySet<string> = new Set(
  (
    "a about again all also an and any are as at be both but by can claude clear commit continue could did do does done " +
    "each exit fine for from go good got great had has have hello help hey hi how i if in into is it its just " +
    "keep lets like look me more my need next no nope not now of off ok okay on or our out perfect please proceed " +
    "push quit resume right run say see should so some start still stop sure thank thanks that the their " +
    "them then there these they this those to too try up us use very want was we well were what when where which " +
    "who why will with would yeah yep yes you your"
  ).split(" "),
);

/** Compiled when first needed: most commands choose no title, and Unicode properties are slow to compile. */
const word = once(() => /[\p{L}][\p{L}\p{M}\d_]+/gu);
const hanOrKana = once(() => /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu);
/** Addresses and flags: their words are names of places, not topics. */
const NO_WORDS = /\b[a-z]+:\/\/\S+|(?<!\S)--?[\w-]+/gi;

/** Whether a text has two specific words, or one in a sentence, which distinguish the session from others. */
export function saysSomething(text: string): boolean {
  const own = ownWords(text);
  return own >= 2 || (own === 1 && text.trim().split(/\s+/).length >= 4);
}

function ownWords(text: string): number {
  const words = text.replace(/['\u2019]/g, "").replace(NO_WORDS, " ");
  const own = words.match(word())?.filter((each) => !EMPTY_WORDS.has(each.toLowerCase())) ?? [];
  // These scripts have no spaces; a word has two signs or more.
  const signs = words.match(hanOrKana())?.length ?? 0;
  return new Set(own).size + (signs >= 4 ? 1 : 0);
}

/** The text that the agent read or was given at the start shows the topic of a session. */
interface Topic {
  readonly from: "plan" | "pull-request" | "teammate" | "compaction";
  readonly text: string;
}

function topicOf(steps: readonly Step[]): Topic | undefined {
  for (const step of steps) {
    const found = stepTopic(step);
    if (found !== undefined && saysSomething(stripped(found.text))) return found;
  }
  return undefined;
}

function stepTopic(step: Step): Topic | undefined {
  switch (step.kind) {
    case "tool": {
      const plan = planHeading(step.call);
      if (plan !== undefined) return { from: "plan", text: plan };
      const pull = pullRequestTitle(step.call);
      return pull === undefined ? undefined : { from: "pull-request", text: pull };
    }
    case "note": {
      const task = teammateTask(step.text);
      return task === undefined ? undefined : { from: "teammate", text: task };
    }
    case "summary": {
      const topic = step.of === "compaction" ? summaryTopic(step.text) : undefined;
      return topic === undefined ? undefined : { from: "compaction", text: topic };
    }
    default:
      return undefined;
  }
}

/** `plan.md`, `plan-b.md`, `auth-plan.md`, and all in a folder of plans. */
const PLAN_FILE = /(?:^|[/\\])(?:plan(?:[-_.][^/\\]*)?\.md|[^/\\]*[-_.]plan\.md|plans[/\\][^/\\]+\.md)$/i;

/** The heading of a plan that was presented to the user, or read from a file. */
function planHeading({ plan, files, result }: ToolCall): string | undefined {
  if (plan !== undefined) return headingIn(plan) ?? firstLine(plan);
  if (result === undefined || result.isError) return undefined;
  return files.some(({ path, mode }) => mode === "read" && PLAN_FILE.test(path))
    ? headingIn(result.text)
    : undefined;
}

/** The first heading of a markdown text; tools number the lines that they show. */
function headingIn(text: string): string | undefined {
  return /^\s*(?:\d+\s*[\u2192|:\t]\s*)?#{1,3} +(\S.*)$/m.exec(text.slice(0, 20 * TITLE_CHARS))?.[1];
}

/** The first line of a plan without headings. */
function firstLine(text: string): string | undefined {
  return /^\s*(\p{L}.*)$/mu.exec(text.slice(0, 20 * TITLE_CHARS))?.[1];
}

const VIEWS_PULL_REQUEST = /\b(?:gh|glab)\s+(?:pr|mr|issue)\s+view\b/;
const ITS_TITLE = /^title:\s*(\S.*)$|"title":\s*"((?:[^"\\]|\\.){3,300})"/m;

function pullRequestTitle({ command, result }: ToolCall): string | undefined {
  if (command === undefined || result === undefined || result.isError || !VIEWS_PULL_REQUEST.test(command))
    return undefined;
  const [, line, json] = ITS_TITLE.exec(result.text) ?? [];
  return line ?? json?.replace(/\\(.)/g, "$1");
}

/** The task that a team's leader gave this agent. */
function teammateTask(text: string): string | undefined {
  const [, attributes = "", task = ""] =
    /^<teammate-message([^>]*)>\s*([\s\S]*?)(?:<\/teammate-message>|$)/.exec(text.trim()) ?? [];
  const summary = /\bsummary="([^"]+)"/.exec(attributes)?.[1];
  return summary ?? (task === "" ? undefined : task.replace(/^you are [^.\n]*[.\n]\s*/i, ""));
}

/** The places in summaries that describe the conversation. */
const TOPICS: readonly RegExp[] = [
  /Primary Request and Intent:?\**:?\s*(?:[-*]\s+)?(\S.*)/,
  /^##+ Goal\s+(?:[-*]\s+)?(\S.*)/m,
  /\*\*Initial (?:request|invocation|task)\w*\*\*:?\s*(\S.*)/i,
  /^-? ?Current work:\s*(\S.*)/m,
];

function summaryTopic(summary: string): string | undefined {
  for (const topic of TOPICS) {
    const found = topic.exec(summary)?.[1];
    if (found === undefined) continue;
    const text = found
      .replace(
        /^\**(?:the )?user(?:'s)?\b[^.:]{0,60}?\b(?:asked|wanted|wants|requested|request(?:ed)?|is)\b(?: (?:me|us|for|to|that|help(?: with)?))*:?\**\s*/i,
        "",
      )
      .replace(/(?<=\w{3})[.:](?:\s.*)?$/, "");
    if (saysSomething(text)) return text;
  }
  return undefined;
}

function summaryTopics(compactions: readonly Compaction[]): string | undefined {
  for (const { summary } of compactions) {
    const topic = summary === null ? undefined : summaryTopic(summary);
    if (topic !== undefined) return topic;
  }
  return undefined;
}

/**
 * The message of a commit, or the title of a pull request, in a shell command. The distances are limited, because one line
 * may have thousands of commands.
 */
const MESSAGE =
  /\b(?:git|gt)\b[^\n]{0,300}? (?:commit|create|modify)\b[^\n]{0,300}? -[a-z]*m\s*(?:"\$\(cat <<-?\s*['"]?\w+['"]?\n\s*([^\n]+)|"([^"\n]+)|'([^'\n]+))|\bgh pr create\b[^\n]{0,1000}? --title[= ](?:"([^"\n]+)|'([^'\n]+))/;

function commitSubject(steps: readonly Step[]): string | undefined {
  for (const step of steps) {
    if (step.kind !== "tool" || step.call.command === undefined || step.call.result?.isError === true)
      continue;
    const subject = MESSAGE.exec(step.call.command)
      ?.slice(1)
      .find((each) => each !== undefined);
    const topic = subject?.replace(REVIEWED, "");
    if (topic !== undefined && saysSomething(topic)) return topic;
  }
  return undefined;
}

/** The beginning of half of all commits after a review. */
const REVIEWED =
  /^address(?:es|ed)? (?:the )?(?:pr |code )?(?:review|feedback)(?: (?:comments?|feedback))?(?: \([^)]*\))?:?\s*/i;

/** The words of a branch's name, without a person or kind before them and a date or number after them. */
function branchWords(branch: string | null): string | undefined {
  const words = (branch ?? "")
    .replace(/^.*\//, "")
    .slice(0, 4 * TITLE_CHARS)
    .replace(/[-_]\d+(?:[-_]\d+)*[-_]?$/, "")
    .replace(/[-_]+/g, " ")
    .trim();
  return saysSomething(words) ? words : undefined;
}
