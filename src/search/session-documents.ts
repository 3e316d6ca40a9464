import type { Digest } from "../extract/digest.ts";
import type { Context, Session, Step, Subagent, Turn } from "../session/session.ts";
import type { IndexDocument } from "./engine.ts";
import { asksSessions, isOwnCall, isOwnText, isOwnTurn } from "./own-output.ts";

/**
 * The size of a document. An agent may work for hours on one request, and a single document of all that would match
 * any words. Single texts are not split, because phrases would be too.
 */
const PASSAGE_CHARS = 12_000;

/** A document with its other files. */
export interface SessionDocument extends IndexDocument {
  /** The names of files with tool output that is not in the log. */
  readonly spilled?: readonly string[];
}

/**
 * Builds the search documents of a session: one card, and for each turn a document per context. A turn that was cut
 * by a compaction has two contexts: its request is compacted away, its end is current. A sub-agent's work follows the
 * turn that started it, so that a growing session keeps its first documents.
 */
export function sessionDocuments(
  session: Session,
  digest: Digest,
  isFork: boolean,
): readonly SessionDocument[] {
  const first = session.turns[0]?.number ?? 1;
  const work = (turn: number): readonly SessionDocument[] =>
    session.subagents.flatMap((subagent) =>
      (subagent.turn ?? first) === turn ? subagentDocuments(subagent, turn) : [],
    );
  return [
    cardOf(session, digest),
    ...documentsOf(groupByContext(session.preamble), { turn: first }),
    ...(session.turns.length === 0 ? work(first) : []),
    ...session.turns.flatMap((turn) => [...turnDocuments(session, turn, isFork), ...work(turn.number)]),
  ];
}

/** Builds the documents of turns that are no longer in the log. */
export function lostTurnDocuments(
  session: Session,
  turns: readonly Turn[],
  isFork: boolean,
): readonly SessionDocument[] {
  return turns.flatMap((turn) => turnDocuments(session, turn, isFork));
}

/** Builds the document of a session as a whole. */
export function cardOf(session: Session, digest: Digest): IndexDocument {
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

/** The properties that documents of one turn share. */
interface Place {
  readonly turn: number;
  /** Identifies the turn across sessions; undefined if it can't be identified. */
  readonly identity?: string | undefined;
  readonly copied?: boolean;
}

function turnDocuments(session: Session, turn: Turn, isFork: boolean): readonly SessionDocument[] {
  const identity =
    turn.uid === null || turn.at === null ? undefined : `${session.agent} ${turn.uid} ${turn.at}`;
  const place = { turn: turn.number, identity, copied: isFork || turn.copiedFrom !== undefined };
  const isOwn = isOwnTurn(turn);
  const byContext = groupByContext(isOwn ? turn.steps.filter(({ kind }) => kind !== "note") : turn.steps);
  const [withRequest = [], ...rest] = passagesOf(byContext.get(turn.context) ?? []);
  byContext.delete(turn.context);
  const main: SessionDocument = {
    turn: turn.number,
    at: turn.at,
    context: turn.context,
    ...(identity === undefined ? {} : { identity, copied: place.copied }),
    fields: withoutEmpty({ request: isOwn ? "" : turn.request, ...fieldsOf(withRequest) }),
    ...spilledBy(withRequest),
  };
  return [main, ...passageDocuments(rest, turn.context, place, 1), ...documentsOf(byContext, place)];
}

function subagentDocuments(subagent: Subagent, turn: number): readonly SessionDocument[] {
  const [first = [], ...rest] = passagesOf(subagent.steps);
  const fields = withoutEmpty({ request: subagent.prompt ?? "", ...fieldsOf(first) });
  const at = subagent.steps.find((step) => step.at !== null)?.at ?? null;
  const main: SessionDocument = { turn, at, context: "subagent", fields, ...spilledBy(first) };
  const more = passageDocuments(rest, "subagent", { turn }, 1);
  return Object.keys(fields).length === 0 ? more : [main, ...more];
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

function documentsOf(
  groups: ReadonlyMap<Context, readonly Step[]>,
  place: Place,
): readonly SessionDocument[] {
  return [...groups].flatMap(([context, steps]) => passageDocuments(passagesOf(steps), context, place, 0));
}

function passageDocuments(
  passages: readonly (readonly Step[])[],
  context: Context,
  { turn, identity, copied = false }: Place,
  firstNumber: number,
): readonly SessionDocument[] {
  return passages.flatMap((steps, index) => {
    const fields = withoutEmpty(fieldsOf(steps));
    if (Object.keys(fields).length === 0) return [];
    const name =
      identity === undefined ? {} : { identity: `${identity} ${context} ${firstNumber + index}`, copied };
    const at = steps.find((step) => step.at !== null)?.at ?? null;
    return [{ turn, at, context, ...name, fields, ...spilledBy(steps) }];
  });
}

function passagesOf(steps: readonly Step[]): readonly (readonly Step[])[] {
  const passages: Step[][] = [];
  let room = 0;
  for (const step of steps) {
    const size = charsOf(step);
    const last = passages.at(-1);
    if (last === undefined || size > room) {
      passages.push([step]);
      room = PASSAGE_CHARS - size;
    } else {
      last.push(step);
      room -= size;
    }
  }
  return passages;
}

function charsOf(step: Step): number {
  if (step.kind === "thinking") return 0;
  if (step.kind !== "tool") return step.text.length;
  const { command, plan, result } = step.call;
  return (command?.length ?? 0) + (plan?.length ?? 0) + (result?.text.length ?? 0);
}

type TurnFields = Record<"summary" | "reply" | "error" | "command" | "file" | "output" | "words", string>;

/** Leaves out thinking, notes of the agent's program, and our own output. */
function fieldsOf(steps: readonly Step[]): TurnFields {
  const texts = {
    summary: [] as string[],
    reply: [] as string[],
    error: [] as string[],
    command: [] as string[],
    file: new Set<string>(),
    output: [] as string[],
    words: [] as string[],
  };
  const addWords = (words: string | undefined): void => {
    if (words !== undefined) texts.words.push(words);
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
        if (isOwnText(step.text)) break;
        if (step.about === "error") texts.error.push(step.text);
        else if (step.about === "custom") texts.reply.push(step.text);
        else if (step.about === "output") texts.output.push(step.text);
        addWords(step.moreWords);
        break;
      case "tool": {
        if (isOwnCall(step.call)) break;
        const { command, plan, files, moreWords, result } = step.call;
        if (command !== undefined) texts.command.push(command);
        if (plan !== undefined) texts.reply.push(plan);
        for (const { path } of files) texts.file.add(path);
        if (result !== undefined) texts[result.isError ? "error" : "output"].push(result.text);
        addWords(moreWords);
        addWords(result?.moreWords);
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
    words: texts.words.join(" "),
  };
}

function spilledBy(steps: readonly Step[]): Pick<SessionDocument, "spilled"> {
  const spilled = steps.flatMap((step) =>
    step.kind === "tool" && !isOwnCall(step.call) ? (step.call.result?.spilledTo ?? []) : [],
  );
  return spilled.length === 0 ? {} : { spilled };
}

/** A character that occurs in no text: a phrase may span a blank line, but not two texts. */
const BETWEEN = "\n\u001e\n";

function join(texts: readonly string[]): string {
  return texts.filter((text) => text !== "").join(BETWEEN);
}

function withoutEmpty(fields: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(fields).filter(([, text]) => text !== ""));
}
