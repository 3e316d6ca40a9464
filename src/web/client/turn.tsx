import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { countOf, formatNumber } from "../../render/words.ts";
import type { ImagesAnswer, TurnLine, TurnView } from "../server/answers.ts";
import { type CallError, get } from "./api.ts";
import { Picture } from "./details.tsx";
import { Typed } from "./prose.tsx";
import { linkToSession } from "./route.ts";
import { type Conversation, contextLabel, Steps } from "./steps.tsx";
import { fullTime, whenExactly } from "./words.ts";

interface TurnProps {
  readonly of: Conversation;
  readonly line: TurnLine;
  /** undefined until it was fetched. */
  readonly view: TurnView | undefined;
  readonly onNear: (turn: number) => void;
}

/** One turn: a request, and the agent's replies and actions. It is fetched when it comes near the window. */
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
  const where = contextLabel(line.context);
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
        <time title={fullTime(line.at)}>{whenExactly(line.at)}</time>
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
        {view !== undefined && view.images > 0 ? (
          <RequestImages sessionKey={of.key} turn={line.turn} count={view.images} />
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

/** The images that came with a request, from the log. */
function RequestImages(props: {
  readonly sessionKey: string;
  readonly turn: number;
  readonly count: number;
}): JSX.Element {
  const [answer, setAnswer] = useState<ImagesAnswer | CallError>();
  useEffect(() => {
    get<ImagesAnswer>("images", { key: props.sessionKey, turn: props.turn }).then(setAnswer, setAnswer);
  }, []);
  if (answer === undefined) return <div class="loading" />;
  if (answer instanceof Error) return <p class="error">{answer.message}</p>;
  const missing = props.count - answer.images.length;
  return (
    <div class="pictures">
      {answer.images.map(({ mediaType, data }, at) => (
        <Picture key={at} mediaType={mediaType} data={data} alt={`Image ${at + 1} of the request`} />
      ))}
      {missing > 0 ? <p class="cut">{countOf(missing, "image")} not shown.</p> : null}
    </div>
  );
}

function viaWords(via: string): string {
  return { command: "slash command", bash: "shell line", queued: "queued" }[via] ?? via;
}
