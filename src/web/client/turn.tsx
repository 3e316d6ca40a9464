import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { formatNumber } from "../../render/words.ts";
import type { TurnLine, TurnView } from "../server/answers.ts";
import { Typed } from "./prose.tsx";
import { linkToSession } from "./route.ts";
import { type Conversation, contextWords, Steps } from "./steps.tsx";
import { fullTime, when } from "./words.ts";

interface TurnProps {
  readonly of: Conversation;
  readonly line: TurnLine;
  /** undefined until it was fetched. */
  readonly view: TurnView | undefined;
  readonly onNear: (turn: number) => void;
}

/** One turn: a request, and what the agent said and did. It is fetched when it comes near the window. */
export function TurnSection({ of, line, view, onNear }: TurnProps): JSX.Element {
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    const element = section.current;
    if (element === null || view !== undefined) return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) onNear(line.turn);
      },
      { root: element.closest(".reader"), rootMargin: "900px 0px" },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [view === undefined]);
  const where = contextWords(line.context);
  return (
    <section
      ref={section}
      class={`turn ${line.context}`}
      id={`turn-${line.turn}`}
      aria-label={`Turn ${line.turn}`}
    >
      <h3>
        <a href={linkToSession(of.key, line.turn)} title="Link to this turn">
          {line.turn}
        </a>
        <time title={fullTime(line.at)}>{when(line.at)}</time>
        {where === null ? null : <em class="chip">{where}</em>}
        {line.via === "typed" ? null : <span class="soft">{viaWords(line.via)}</span>}
        {line.copiedFrom === null ? null : <span class="soft">copied from {line.copiedFrom}</span>}
      </h3>
      <div class="request">
        {view === undefined ? <p class="typed">{line.line}</p> : <Typed text={view.request} />}
        {view !== undefined && view.requestChars > view.request.length ? (
          <p class="cut">
            The first {formatNumber(view.request.length)} of {formatNumber(view.requestChars)} characters.
          </p>
        ) : null}
      </div>
      {view === undefined ? (
        <div class="ghost-steps" style={{ height: `${Math.min(60, line.steps) * 26}px` }} />
      ) : (
        <Steps of={of} place={{ turn: line.turn }} context={line.context} first={view} />
      )}
    </section>
  );
}

function viaWords(via: string): string {
  return { command: "slash command", bash: "shell line", queued: "queued" }[via] ?? via;
}
