import { createActivityTally, noActivity } from "./activity.ts";
import { findBranches } from "./branches.ts";
import { checkoutInLog } from "./checkout.ts";
import { type LeafRule, resolvePath } from "./current-path.ts";
import type {
  AgentName,
  CompactionEntry,
  Entry,
  Fact,
  FactEntry,
  Lineage,
  ReplyEntry,
  RequestEntry,
  ResultsEntry,
  SourceFacts,
} from "./entry.ts";
import { withoutInjectedText } from "./injected-text.ts";
import { createNameTable } from "./name-table.ts";
import {
  COMPACTION,
  createNodeTable,
  type KeptEntry,
  NONE,
  type NodeTable,
  RESULTS_WITH_THEIR_CALLS,
  SUMMARY,
  type TreeEntry,
} from "./node-table.ts";
import type { Compaction, Label, Session, Turn } from "./session.ts";
import {
  AFTER_ITS_CALL,
  type Answered,
  type CallTable,
  createCallTable,
  type DraftStep,
  draftStep,
} from "./steps.ts";
import { makeSubagents, type SubagentLog } from "./subagents.ts";
import { createTally } from "./tally.ts";
import { chooseTitle, type GivenTitle } from "./title.ts";
import { makeTurns } from "./turns.ts";

/** Builds one session from the entries of its logs, added in the order of the logs. */
interface SessionBuilder {
  add(entry: Entry): void;
  finish(rest: SessionRest): Session;
}

/** Facts about a session besides its entries. */
export interface SessionRest {
  readonly agent: AgentName;
  readonly id: string;
  readonly facts: SourceFacts;
  /** Logs of sub-agents in separate files. */
  readonly subagents?: readonly SubagentLog[];
  /** Titles from a file beside the log: the user's, and the agent's own. */
  readonly title?: string;
  readonly generatedTitle?: string;
  /** Names by which people address agents: a request may begin with one, which is not part of its title. */
  readonly agentNames?: readonly string[];
  readonly lines: number;
  readonly problems: Session["problems"];
  /** The todo list from files next to the log: newer than the log's. */
  readonly work?: Session["work"];
}

export function createSessionBuilder(leafRule: LeafRule, countsActivity = true): SessionBuilder {
  const nodes = createNodeTable();
  const messages = createNameTable();
  const calls = createCallTable();
  const tally = createTally(messages);
  const activity = countsActivity ? createActivityTally() : noActivity;
  const facts: Fact[] = [];
  const queued: number[] = [];
  let opaqueLines = 0;
  const takeFact = ({ fact, line, at, uid, parent }: FactEntry): void => {
    if (fact.name === "queued") {
      const prompt = withoutInjectedText(queuedRequest(fact.text, line, at));
      const node = nodes.add(prompt, prompt);
      if (prompt.kind === "request") queued.push(node);
    } else if (fact.name === "unqueued") {
      const taken = queued.findLast((node) => lineOf(nodes.entry(node)) === fact.queuedOnLine);
      if (taken !== undefined) nodes.clear(taken);
    } else facts.push(fact);
    if (uid !== undefined)
      nodes.add({ kind: "link", line, uid, ...(parent === undefined ? {} : { parent }) }, undefined);
  };
  const addToTree = (entry: TreeEntry): void => {
    const answered = entry.kind === "results" ? answersOf(entry, calls) : NOTHING;
    const node = nodes.add(entry, keep(entry, answered));
    tally.add(entry, node, answered);
    if (entry.kind === "reply") activity.addReply(entry);
    else if (entry.kind === "results") activity.addResults(entry, answered);
    if (entry.kind === "request" && entry.via === "queued") queued.push(node);
  };

  /**
   * Joins calls with results, and returns the part of an entry that must be kept once it is in the tree and counted.
   */
  const keep = (entry: TreeEntry, answered: readonly Answered[]): KeptEntry | undefined => {
    switch (entry.kind) {
      case "link":
        return undefined;
      case "results":
        return keepResults(entry, answered);
      case "reply":
        return keepReply(entry);
      default:
        return entry;
    }
  };

  const keepReply = ({ parts, message, at, line, isError = false }: ReplyEntry): KeptEntry => {
    let first: DraftStep | undefined;
    let more: DraftStep[] | undefined;
    for (let index = 0; index < parts.length; index++) {
      const part = parts[index];
      if (part === undefined) continue;
      if (part.kind === "call") calls.made(part.id);
      const step = draftStep(part, at ?? null, line, isError);
      if (first === undefined) first = step;
      else if (more === undefined) more = [step];
      else more.push(step);
    }
    return {
      kind: "reply",
      message: message === undefined ? NONE : messages.number(message),
      first,
      more: more ?? NO_MORE,
    };
  };

  return {
    add(entry) {
      switch (entry.kind) {
        case "opaque":
          opaqueLines++;
          if (entry.uid !== undefined) nodes.add({ ...entry, kind: "link" }, undefined);
          return;
        case "fact":
          takeFact(entry);
          return;
        case "request":
          addToTree(withoutInjectedText(entry));
          return;
        default:
          addToTree(entry);
      }
    },
    finish(rest) {
      dropRepeatedPrompts(nodes, queued);
      const path = resolvePath(nodes, leafRule, rest.facts.wentBackTo);
      const { preamble, turns, turnOf } = makeTurns(nodes, path, calls);
      const subagents = makeSubagents(nodes, calls, turns, rest.subagents ?? []);
      const compactions = listCompactions(nodes, turnOf);
      const model = lastFact(facts, "model")?.model ?? tally.model();
      const isHere = (uid: string): boolean => nodes.isPresent(nodes.find(uid));
      return {
        agent: rest.agent,
        id: rest.id,
        project: rest.facts.project,
        ...checkoutInLog(rest.facts),
        branch: rest.facts.branch,
        ...chooseTitle({
          given: givenTitles(facts, isHere, rest),
          agent: rest.agent,
          agentNames: rest.agentNames ?? [],
          branch: rest.facts.branch,
          preamble,
          turns,
          compactions,
          subagents,
        }),
        startedAt: rest.facts.firstAt,
        endedAt: rest.facts.lastAt,
        model,
        version: rest.facts.version,
        lineage: lastFact(facts, "parent")?.lineage ?? forkOf(turns),
        continuedIn: lastFact(facts, "continued-in")?.session ?? null,
        preamble,
        turns,
        compactions,
        subagents,
        branches: findBranches(nodes, turns, turnOf),
        labels: labelsOf(facts, (uid) => turnOf(nodes.find(uid))),
        tags: lastFact(facts, "tag")?.text ? [lastFact(facts, "tag")?.text ?? ""] : [],
        links: linksOf(facts),
        work: rest.work ?? tally.work.items(),
        counts: tally.counts(turns.length),
        characters: tally.characters(),
        usage: tally.usage((node) => path.contextOf(node) === "current"),
        activity: activity.finish(
          { model, at: rest.facts.firstAt ?? rest.facts.lastAt },
          (rest.subagents ?? []).map(({ session }) => session.activity),
        ),
        lines: rest.lines,
        opaqueLines,
        problems: rest.problems,
      };
    },
  };
}

/** Nearly every line has one result: for these the same four lists are used again and again. */
function answersOf({ results }: ResultsEntry, calls: CallTable): readonly Answered[] {
  const [only] = results;
  if (only === undefined || results.length > 1) return results.map(calls.answered);
  return ONE_ANSWER[calls.answered(only)] ?? NOTHING;
}

function keepResults(entry: ResultsEntry, answered: readonly Answered[]): KeptEntry {
  if (!answered.some((answer) => (answer & AFTER_ITS_CALL) === 0)) return RESULTS_WITH_THEIR_CALLS;
  const orphans = entry.results.filter(
    (_, index) => ((answered[index] ?? AFTER_ITS_CALL) & AFTER_ITS_CALL) === 0,
  );
  return { kind: "results", line: entry.line, at: entry.at, results: orphans };
}

function lineOf(entry: KeptEntry | undefined): number | undefined {
  return entry?.kind === "request" ? entry.line : undefined;
}

const NOTHING: readonly Answered[] = [];
const ONE_ANSWER: readonly (readonly Answered[])[] = [[0], [1], [2], [3]];
const NO_MORE: readonly DraftStep[] = [];

/** A queued prompt has no name in the tree: it follows the entry that came before it. */
function queuedRequest(text: string, line: number, at: number | undefined): RequestEntry {
  return {
    kind: "request",
    line,
    via: "queued",
    text,
    chars: text.length,
    images: 0,
    ...(at === undefined ? {} : { at }),
  };
}

/** Returns the last fact of a name: the one that counts. */
function lastFact<Name extends Fact["name"]>(
  facts: readonly Fact[],
  name: Name,
): Extract<Fact, { name: Name }> | undefined {
  return facts.findLast((fact): fact is Extract<Fact, { name: Name }> => fact.name === name);
}

function labelsOf(facts: readonly Fact[], turnOf: (uid: string) => number | null): readonly Label[] {
  const byTarget = new Map<string, string | null>();
  for (const fact of facts) if (fact.name === "label") byTarget.set(fact.target, fact.text);
  return [...byTarget].flatMap(([target, text]) => (text === null ? [] : [{ text, turn: turnOf(target) }]));
}

function linksOf(facts: readonly Fact[]): readonly string[] {
  return [...new Set(facts.flatMap((fact) => (fact.name === "link" ? [fact.url] : [])))];
}

/** Recognizes a fork by lines that say where they were copied from. */
function forkOf(turns: readonly Turn[]): Lineage | null {
  const session = turns.find((turn) => turn.copiedFrom !== undefined)?.copiedFrom;
  return session === undefined ? null : { kind: "fork", session };
}

/**
 * Removes queued prompts that a later request repeats: the agent logs most prompts again when it gets to them. The
 * others become turns.
 */
function dropRepeatedPrompts(nodes: NodeTable, queued: readonly number[]): void {
  if (queued.length === 0) return;
  const requests = Array.from(nodes.inOrder(), (node) => nodes.entry(node)).filter(
    (entry): entry is RequestEntry => entry?.kind === "request",
  );
  for (const node of queued) {
    const prompt = nodes.entry(node);
    if (prompt?.kind !== "request") continue;
    const repeated = requests.some(
      (request) => request !== prompt && request.line > prompt.line && repeats(request, prompt),
    );
    if (repeated) nodes.clear(node);
  }
}

function repeats(request: RequestEntry, prompt: RequestEntry): boolean {
  // Two queued prompts with the same words are two prompts.
  return request.uid === undefined ? false : request.text.includes(prompt.text);
}

/** Lists all compactions in the order of the log, each with the summary that follows it. */
function listCompactions(nodes: NodeTable, turnOf: (node: number) => number | null): readonly Compaction[] {
  const found: { -readonly [K in keyof Compaction]: Compaction[K] }[] = [];
  if (!nodes.hasCompactions) return found;
  for (const node of nodes.inOrder()) {
    const kind = nodes.kind(node);
    if ((kind !== COMPACTION && kind !== SUMMARY) || nodes.sidechain(node) !== undefined) continue;
    const entry = nodes.entry(node);
    if (entry?.kind === "compaction") {
      found.push({
        at: entry.at ?? null,
        line: entry.line,
        trigger: entry.trigger,
        tokensBefore: entry.tokensBefore,
        tokensAfter: entry.tokensAfter,
        summary: entry.summary ?? null,
        keeps: keeps(entry),
        afterTurn: turnOf(node) ?? 0,
      });
    } else if (entry?.kind === "summary" && entry.of === "compaction") {
      const last = found.at(-1);
      if (last !== undefined) last.summary ??= entry.text;
    }
  }
  return found;
}

function keeps(entry: CompactionEntry): Compaction["keeps"] {
  const anchor = entry.kept?.anchor ?? entry.keptSegment?.anchor;
  if (anchor !== undefined) return anchor === entry.uid ? "head" : "tail";
  return entry.keptFrom === undefined ? null : "tail";
}

/** Lists the titles that the log has, those of the user first. A title line counts only if its leaf is in this log. */
function givenTitles(
  facts: readonly Fact[],
  isHere: (uid: string) => boolean,
  beside: Pick<SessionRest, "title" | "generatedTitle">,
): readonly GivenTitle[] {
  const titled = (from: "custom" | "generated" | "session-name"): string | undefined => {
    const fact = facts.findLast((one) => one.name === "title" && one.from === from);
    return fact?.name === "title" && fact.text.trim() !== "" ? fact.text : undefined;
  };
  const ofLeaf = facts.findLast((fact) => fact.name === "leaf-title" && isHere(fact.leaf));
  const found: readonly (readonly [GivenTitle["from"], string | undefined])[] = [
    ["custom", titled("custom") ?? beside.title],
    ["generated", titled("generated") ?? beside.generatedTitle],
    ["summary", ofLeaf?.name === "leaf-title" ? ofLeaf.text : undefined],
    ["session-name", titled("session-name")],
  ];
  return found.flatMap(([from, text]) => (text === undefined ? [] : [{ from, text }]));
}
