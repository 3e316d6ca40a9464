import type { Digest } from "../extract/digest.ts";
import type { Context, Session, Step, Subagent, Turn } from "../model/session.ts";
import type { IndexDocument } from "../search/search-engine.ts";
import { asksSessions, isOwnCall, isOwnTurn, isRecalled } from "./own-answers.ts";

/**
 * Makes of a session what can be found: one card, and for each turn a document for each place where
 * its parts stand. A turn in whose middle a compaction fell stands in two: its request is compacted
 * away, its end is current.
 */
export function sessionDocuments(
  session: Session,
  digest: Digest,
  isCopy: boolean,
): readonly IndexDocument[] {
  const first = session.turns[0]?.number ?? 1;
  return [
    cardOf(session, digest),
    ...stepDocuments(session.preamble, first),
    ...session.turns.flatMap((turn) => turnDocuments(session, turn, isCopy)),
    ...session.subagents.flatMap((subagent) => subagentDocuments(subagent, first)),
  ];
}

function cardOf(session: Session, digest: Digest): IndexDocument {
  return {
    turn: 0,
    at: session.endedAt,
    context: "current",
    fields: withoutEmpty({
      title: digest.title ?? "",
      request: join(requestsOf(session, digest)),
      summary: join(digest.summaries.filter(({ kind }) => kind !== "title").map(({ text }) => text)),
      pending: join(digest.pending.map(({ text }) => text)),
      project: digest.project ?? "",
      branch: digest.branch ?? "",
      file: join(digest.files.map(({ path }) => path)),
      command: join(digest.commands.map(({ command }) => command).filter((each) => !asksSessions(each))),
      tool: join([...Object.keys(digest.tools), ...session.labels.map(({ text }) => text), ...session.tags]),
    }),
  };
}

function requestsOf({ turns }: Session, { requests }: Digest): readonly string[] {
  const own = new Set(turns.filter(isOwnTurn).map(({ number }) => number));
  return requests.filter(({ turn }) => !own.has(turn)).map(({ text }) => text);
}

function turnDocuments(session: Session, turn: Turn, isCopy: boolean): readonly IndexDocument[] {
  const identity =
    turn.uid === null || turn.at === null ? undefined : `${session.agent} ${turn.uid} ${turn.at}`;
  const copied = isCopy || turn.copiedFrom !== undefined;
  const isOwn = isOwnTurn(turn);
  const byContext = groupByContext(isOwn ? turn.steps.filter(({ kind }) => kind !== "note") : turn.steps);
  const withRequest = byContext.get(turn.context) ?? [];
  byContext.delete(turn.context);
  const main: IndexDocument = {
    turn: turn.number,
    at: turn.at,
    context: turn.context,
    ...(identity === undefined ? {} : { identity, copied }),
    fields: withoutEmpty({ request: isOwn ? "" : turn.request, ...fieldsOf(withRequest) }),
  };
  return [main, ...documentsOf(byContext, turn.number)];
}

function stepDocuments(steps: readonly Step[], turn: number): readonly IndexDocument[] {
  return documentsOf(groupByContext(steps), turn);
}

function subagentDocuments(subagent: Subagent, firstTurn: number): readonly IndexDocument[] {
  const fields = withoutEmpty({ request: subagent.prompt ?? "", ...fieldsOf(subagent.steps) });
  if (Object.keys(fields).length === 0) return [];
  const at = subagent.steps.find((step) => step.at !== null)?.at ?? null;
  return [{ turn: subagent.turn ?? firstTurn, at, context: "subagent", fields }];
}

function groupByContext(steps: readonly Step[]): Map<Context, Step[]> {
  const groups = new Map<Context, Step[]>();
  for (const step of steps) {
    const group = groups.get(step.context);
    if (group === undefined) groups.set(step.context, [step]);
    else group.push(step);
  }
  return groups;
}

function documentsOf(groups: ReadonlyMap<Context, readonly Step[]>, turn: number): readonly IndexDocument[] {
  return [...groups].flatMap(([context, steps]) => {
    const fields = withoutEmpty(fieldsOf(steps));
    if (Object.keys(fields).length === 0) return [];
    return [{ turn, at: steps.find((step) => step.at !== null)?.at ?? null, context, fields }];
  });
}

type TurnFields = Record<"summary" | "reply" | "error" | "command" | "file" | "output", string>;

/** Thinking is not indexed, nor is what the agent's program says for itself, nor our own earlier answers. */
function fieldsOf(steps: readonly Step[]): TurnFields {
  const texts = {
    summary: [] as string[],
    reply: [] as string[],
    error: [] as string[],
    command: [] as string[],
    file: new Set<string>(),
    output: [] as string[],
  };
  for (const step of steps) {
    switch (step.kind) {
      case "reply":
        texts[step.isError ? "error" : "reply"].push(step.text);
        break;
      case "summary":
        texts.summary.push(step.text);
        break;
      case "note":
        if (isRecalled(step.text)) break;
        if (step.about === "error") texts.error.push(step.text);
        else if (step.about === "custom") texts.reply.push(step.text);
        else if (step.about === "output") texts.output.push(step.text);
        break;
      case "tool": {
        if (isOwnCall(step.call)) break;
        const { command, plan, files, result } = step.call;
        if (command !== undefined) texts.command.push(command);
        if (plan !== undefined) texts.reply.push(plan);
        for (const { path } of files) texts.file.add(path);
        if (result !== undefined) texts[result.isError ? "error" : "output"].push(result.text);
        break;
      }
      case "thinking":
        break;
    }
  }
  return {
    summary: join(texts.summary),
    reply: join(texts.reply),
    error: join(texts.error),
    command: join(texts.command),
    file: join([...texts.file]),
    output: join(texts.output),
  };
}

/** Blank lines between texts: a phrase must not run from one into the next. */
function join(texts: readonly string[]): string {
  return texts.filter((text) => text !== "").join("\n\n");
}

function withoutEmpty(fields: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(fields).filter(([, text]) => text !== ""));
}
