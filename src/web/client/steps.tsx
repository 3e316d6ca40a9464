import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { countOf, formatNumber } from "../../render/words.ts";
import type { SessionAnswer, StepsAnswer, StepsPlace, StepView, SubagentLine } from "../server/answers.ts";
import { type CallError, get } from "./api.ts";
import { Details } from "./details.tsx";
import { Code, Prose, Typed } from "./prose.tsx";
import { short, whenExactly } from "./words.ts";

/** Context that all parts of a conversation need. */
export interface Conversation {
  readonly key: string;
  readonly subagents: readonly SubagentLine[];
  readonly compactionList: readonly CompactionLine[];
}

type CompactionLine = SessionAnswer["compactionList"][number];

/** Where the agent compacted the conversation. */
export function CompactionDivider({ compaction }: { readonly compaction: CompactionLine }): JSX.Element {
  const { at, trigger, tokensBefore, tokensAfter } = compaction;
  return (
    <p class="divider">
      <span>
        {trigger === "auto" ? "Compacted automatically" : "Compacted"}
        {tokensBefore === null ? "" : ` · ${short(tokensBefore)}`}
        {tokensAfter === null ? "" : ` → ${short(tokensAfter)}`}
        {tokensBefore === null && tokensAfter === null ? "" : " tokens"}
        {at === null ? "" : ` · ${whenExactly(at)}`}
      </span>
    </p>
  );
}

type Context = StepView["context"];

/** Says in which context something is; null if the agent would load it now. */
export function contextLabel(context: Context): string | null {
  return {
    current: null,
    compacted: "compacted away",
    branch: "abandoned branch",
    subagent: "sub-agent",
  }[context];
}

interface StepsProps {
  readonly of: Conversation;
  readonly place: StepsPlace;
  readonly context: Context;
  readonly first: StepsAnswer;
}

/** The steps of a turn or a sub-agent; long ones in runs. */
export function Steps({ of, place, context, first }: StepsProps): JSX.Element {
  const [more, setMore] = useState<readonly StepView[]>([]);
  useEffect(() => setMore([]), [first.total]);
  const steps = [...first.steps, ...more];
  const left = first.total - steps.length;
  const load = async (): Promise<void> => {
    const next = await get<StepsAnswer>("steps", { key: of.key, ...place, from: steps.length });
    setMore((before) => [...before, ...next.steps]);
  };
  return (
    <>
      {grouped(steps, context).map((group) => (
        <Group key={group.from} of={of} place={place} group={group} />
      ))}
      {left > 0 ? (
        <button type="button" class="more" onClick={() => void load()}>
          {countOf(left, "more step")}
        </button>
      ) : null}
    </>
  );
}

/** Steps that are shown together: one that is read, or a run of work (calls and thinking). */
interface StepGroup {
  readonly from: number;
  readonly steps: readonly StepView[];
  readonly isWork: boolean;
  /** Set if its context differs from the part before it. */
  readonly movesTo: Context | null;
  /** For the summary of a compaction: the number of compactions before it. */
  readonly compaction: number | null;
}

export function grouped(steps: readonly StepView[], context: Context): readonly StepGroup[] {
  const groups: (StepGroup & { readonly steps: StepView[] })[] = [];
  let now = context;
  let compactions = 0;
  for (const [index, step] of steps.entries()) {
    const isWork = step.kind === "call" || step.kind === "thinking";
    const movesTo = step.context === now ? null : step.context;
    now = step.context;
    const last = groups.at(-1);
    // A sub-agent is never hidden among other calls.
    const isAlone = startsAgent(step) || (last?.steps.some(startsAgent) ?? false);
    if (isWork && last?.isWork === true && movesTo === null && !isAlone) last.steps.push(step);
    else {
      const isCompaction = step.kind === "summary" && step.of === "compaction";
      const compaction = isCompaction ? compactions++ : null;
      groups.push({ from: index, steps: [step], isWork, movesTo, compaction });
    }
  }
  return groups;
}

function startsAgent(step: StepView): boolean {
  return step.kind === "call" && step.agentId !== null;
}

/** A longer run of work is one line until it is opened. */
const SHOWN_CALLS = 6;

function Group(props: {
  readonly of: Conversation;
  readonly place: StepsPlace;
  readonly group: StepGroup;
}): JSX.Element {
  const { of, place, group } = props;
  const [isOpen, setOpen] = useState(group.steps.length <= SHOWN_CALLS);
  const mark =
    group.movesTo === null ? null : (
      <p class="mark">From here: {contextLabel(group.movesTo) ?? "in the current context"}</p>
    );
  if (!group.isWork) {
    const [step] = group.steps;
    const compaction =
      group.compaction === null
        ? undefined
        : of.compactionList.filter(({ afterTurn, hasSummary }) => hasSummary && afterTurn === place.turn)[
            group.compaction
          ];
    return (
      <>
        {compaction === undefined ? mark : <CompactionDivider compaction={compaction} />}
        {step === undefined ? null : <Said step={step} />}
      </>
    );
  }
  return (
    <>
      {mark}
      <div class="calls">
        {isOpen ? null : (
          <button type="button" class="call-line group" aria-expanded="false" onClick={() => setOpen(true)}>
            <GroupWords steps={group.steps} />
          </button>
        )}
        {isOpen
          ? group.steps.map((step, at) => (
              <WorkStep key={group.from + at} of={of} place={place} index={group.from + at} step={step} />
            ))
          : null}
      </div>
    </>
  );
}

function GroupWords({ steps }: { readonly steps: readonly StepView[] }): JSX.Element {
  const counts = new Map<string, number>();
  let failures = 0;
  for (const step of steps) {
    if (step.kind !== "call") continue;
    counts.set(step.name, (counts.get(step.name) ?? 0) + 1);
    if (step.state === "failed") failures++;
  }
  const calls = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const names = [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([name, count]) => (count === 1 ? name : `${name} ${count}`));
  return (
    <>
      <span class="state">≡</span>
      <b>{countOf(calls, "call")}</b>
      <code>{names.slice(0, 6).join(", ")}</code>
      {failures === 0 ? null : <span class="outcome">{failures} failed</span>}
      <span class="twist">›</span>
    </>
  );
}

/** A step to be read: a reply, a summary, a note. */
export function Said({ step }: { readonly step: StepView }): JSX.Element | null {
  switch (step.kind) {
    case "reply":
      return (
        <div class={step.isError ? "reply error" : "reply"}>
          <Prose text={step.text} />
        </div>
      );
    case "summary":
      return (
        <Fold title={step.of === "branch" ? "Summary of an abandoned branch" : "Summary of what came before"}>
          <Prose text={step.text} />
        </Fold>
      );
    case "note":
      return <Note about={step.about} text={step.text} />;
    default:
      return null;
  }
}

const SHORT_NOTE_CHARS = 200;

function Note({ about, text }: { readonly about: string; readonly text: string }): JSX.Element {
  const word =
    { command: "Command", output: "Output", interrupt: "Interrupted", system: "System", error: "Error" }[
      about
    ] ?? "Note";
  if (text.length <= SHORT_NOTE_CHARS && !text.trim().includes("\n"))
    return (
      <p class={`note ${about}`}>
        {word}: {text.trim()}
      </p>
    );
  return (
    <Fold title={`${word} · ${formatNumber(text.length)} characters`}>
      <Code text={text} language="text" />
    </Fold>
  );
}

/** A line that unfolds; its content exists only while it is open. */
function Fold({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  return (
    <div class="fold">
      <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {title}
        <span class="twist">›</span>
      </button>
      {isOpen ? <div class="fold-body">{children}</div> : null}
    </div>
  );
}

const signs = { done: "✓", failed: "✗", unknown: "·" } as const;

interface WorkProps {
  readonly of: Conversation;
  readonly place: StepsPlace;
  readonly index: number;
  readonly step: StepView;
}

/** A tool call or thinking: one line, with details that are fetched when it is opened. */
export function WorkStep({ of, place, index, step }: WorkProps): JSX.Element | null {
  const [isOpen, setOpen] = useState(false);
  if (step.kind === "thinking") {
    return (
      <div class="call thinking">
        <button type="button" class="call-line" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <span class="state">…</span>
          <span>Thinking · {formatNumber(step.chars)} characters</span>
          <span class="twist">›</span>
        </button>
        {isOpen ? <Details sessionKey={of.key} place={place} index={index} callId={null} /> : null}
      </div>
    );
  }
  if (step.kind !== "call") return null;
  const { name, subject, state, outcome, hasDetails, agentId } = step;
  const line = (
    <>
      <span class="state">{signs[state]}</span>
      <b>{name}</b>
      <code>{subject}</code>
      {outcome === "" ? null : <span class="outcome">{outcome}</span>}
    </>
  );
  if (!hasDetails && agentId === null) return <div class={`call call-line ${state}`}>{line}</div>;
  return (
    <div class={`call ${state}`}>
      <button type="button" class="call-line" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {line}
        <span class="twist">›</span>
      </button>
      {isOpen && agentId !== null ? (
        <Subagent of={of} id={agentId}>
          {hasDetails ? (
            <Fold title="Result for its caller">
              <Details sessionKey={of.key} place={place} index={index} callId={step.id} only="result" />
            </Fold>
          ) : null}
        </Subagent>
      ) : null}
      {isOpen && hasDetails && agentId === null ? (
        <Details sessionKey={of.key} place={place} index={index} callId={step.id} />
      ) : null}
    </div>
  );
}

interface SubagentProps {
  readonly of: Conversation;
  readonly id: string;
  /** Below its conversation. */
  readonly children: ComponentChildren;
}

/** The conversation of a sub-agent, inside the call that started it: it begins with the call's request. */
function Subagent({ of, id, children }: SubagentProps): JSX.Element {
  const [answer, setAnswer] = useState<StepsAnswer | CallError>();
  const about = of.subagents.find((each) => each.id === id);
  useEffect(() => {
    get<StepsAnswer>("steps", { key: of.key, agent: id, from: 0 }).then(setAnswer, setAnswer);
  }, []);
  return (
    <div class="subagent">
      <h4>
        Sub-agent{about?.type ? ` · ${about.type}` : ""} · {countOf(about?.calls ?? 0, "call")}
      </h4>
      {about?.prompt ? (
        <div class="request">
          <Typed text={about.prompt} />
        </div>
      ) : null}
      {answer === undefined ? <div class="loading" /> : null}
      {answer instanceof Error ? <p class="error">{answer.message}</p> : null}
      {answer === undefined || answer instanceof Error ? null : (
        <Steps of={of} place={{ agent: id }} context="subagent" first={answer} />
      )}
      {children}
    </div>
  );
}
