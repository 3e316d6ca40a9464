import type { HistoryPrompt } from "../agents/agent.ts";
import { namesOfAgents } from "../agents/agents.ts";
import { promptHistories } from "../agents/find-sessions.ts";
import { forgottenSessions } from "../archive/open-archive.ts";
import type { Problem } from "../errors.ts";
import { isExcluded } from "../fs/config.ts";
import { errorCode, explainDiskError, isAbsent } from "../fs/disk-error.ts";
import type { Library } from "../fs/library.ts";
import { statIfAllowed } from "../fs/sources.ts";
import { splitLines } from "../jsonl/lines.ts";
import type { AgentName } from "../session/entry.ts";
import { type Session, type SessionName, sessionKey } from "../session/session.ts";
import { createSessionBuilder } from "../session/session-builder.ts";
import { createTextBudget, cutText } from "../session/text-budget.ts";

export interface StubPrompt {
  readonly at: number | null;
  readonly text: string;
}

/** A deleted session of which only the prompts are left. */
export interface HistoryStub extends SessionName {
  readonly project: string | null;
  /** In the order of the prompt history. */
  readonly prompts: readonly StubPrompt[];
}

export interface HistoryStubs {
  readonly stubs: readonly HistoryStub[];
  /** Changes with the prompt histories. */
  readonly mark: string;
  /** Prompts without a session id, from old versions. */
  readonly nameless: number;
  readonly problems: readonly Problem[];
}

/** Prompts are kept completely up to this many characters in total; after that they are cut. */
const TOTAL_CHARS = 16_000_000;
const PROMPT_CHARS = 8_000;
/** Limits a history with very many prompts. */
const MAX_PROMPTS = 500_000;

/** The marks of the files that stubs come from, without reading them. */
export function historyMark(library: Library): string {
  return promptHistories(library)
    .map(({ path }) => {
      const stat = statIfAllowed(library.disk, path);
      return stat === undefined ? "" : `${stat.size}:${stat.mtimeMs}:${stat.inode}`;
    })
    .join(" ");
}

/** Recovers the prompts of sessions that are gone from the histories of their agents. */
export function historyStubs(library: Library, isKnown: (session: SessionName) => boolean): HistoryStubs {
  const budget = createTextBudget({ ...NO_OUTPUT, totalChars: TOTAL_CHARS });
  const forgotten = forgottenSessions(library);
  /** undefined for a session that is not a stub. */
  const found = new Map<string, (HistoryStub & { readonly prompts: StubPrompt[] }) | undefined>();
  const problems: Problem[] = [];
  let nameless = 0;
  let taken = 0;

  const take = (agent: AgentName, { sessionId, project, at, text }: HistoryPrompt): void => {
    if (sessionId === null) {
      nameless++;
      return;
    }
    const session: SessionName = { agent, id: sessionId };
    const key = sessionKey(session);
    if (!found.has(key)) {
      const isOut = isKnown(session) || forgotten.hasSession(session) || isExcluded(library, { project });
      found.set(key, isOut ? undefined : { ...session, project, prompts: [] });
    }
    const stub = found.get(key);
    if (stub === undefined || taken >= MAX_PROMPTS) return;
    stub.prompts.push({ at, text: budget.words(cutText(text, PROMPT_CHARS)) });
    taken++;
  };

  const mark = historyMark(library);
  for (const { agent, path, readLine } of promptHistories(library)) {
    try {
      for (const line of splitLines(library.disk.readChunks(path)))
        for (const prompt of readLine(line)) take(agent, prompt);
    } catch (error) {
      if (errorCode(error) === undefined) throw error;
      if (!isAbsent(error)) problems.push({ path, line: 0, what: explainDiskError(error) });
    }
  }
  const stubs = [...found.values()].flatMap((stub) =>
    stub === undefined || stub.prompts.length === 0 ? [] : [stub],
  );
  return { stubs, mark, nameless, problems };
}

/** Builds a session from a stub: its prompts are turns without a reply. */
export function sessionOfStub({ agent, id, project, prompts }: HistoryStub): Session {
  const builder = createSessionBuilder("last-entry");
  for (const [index, { at, text }] of prompts.entries()) {
    builder.add({
      kind: "request",
      line: index + 1,
      uid: `${id}#${index + 1}`,
      parent: index === 0 ? null : `${id}#${index}`,
      via: "typed",
      text,
      chars: text.length,
      images: 0,
      ...(at === null ? {} : { at }),
    });
  }
  const times = prompts.flatMap(({ at }) => at ?? []);
  const span = (pick: (a: number, b: number) => number): number | null =>
    times.length === 0 ? null : times.reduce((a, b) => pick(a, b));
  const facts = { id, project, branch: null, version: null, firstAt: span(Math.min), lastAt: span(Math.max) };
  return builder.finish({
    agent,
    id,
    facts,
    agentNames: namesOfAgents(),
    lines: prompts.length,
    problems: [],
  });
}

const NO_OUTPUT = { outputChars: 0, inputChars: 0, thinkingChars: 0 };
