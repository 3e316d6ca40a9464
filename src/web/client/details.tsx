import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { formatNumber } from "../../render/words.ts";
import type { DetailsAnswer, ResultAnswer, StepsPlace } from "../server/answers.ts";
import { type CallError, get } from "./api.ts";
import { Code, Prose } from "./prose.tsx";

interface DetailsProps {
  readonly sessionKey: string;
  readonly place: StepsPlace;
  readonly index: number;
  readonly callId: string | null;
  /** Leaves out the call's input. */
  readonly only?: "result";
}

/** The content of a folded step, fetched when it is opened. */
export function Details({ sessionKey, place, index, callId, only }: DetailsProps): JSX.Element {
  const [answer, setAnswer] = useState<DetailsAnswer | CallError>();
  useEffect(() => {
    get<DetailsAnswer>("details", { key: sessionKey, ...place, step: index }).then(setAnswer, setAnswer);
  }, []);
  if (answer === undefined) return <div class="details loading" />;
  if (answer instanceof Error) return <p class="details error">{answer.message}</p>;
  const hasResult = answer.details.some((detail) => detail.of === "result");
  const shown = answer.details.filter((detail) => only === undefined || detail.of === only);
  return (
    <div class="details">
      {answer.text === null ? null : <Prose text={answer.text} />}
      {shown.map(({ of: side, part, note }, at) => (
        <div key={at} class={side}>
          {part.kind === "prose" ? (
            <Prose text={part.text} />
          ) : (
            <Code text={part.text} language={part.language} />
          )}
          {note === null ? null : <p class="cut">{note}.</p>}
        </div>
      ))}
      {answer.hasMore && callId !== null ? (
        <WholeResult sessionKey={sessionKey} callId={callId} isWanted={!hasResult} />
      ) : null}
    </div>
  );
}

/**
 * The complete result of a call, from the log: long texts and images. Fetched on request, or if there is nothing
 * else.
 */
function WholeResult(props: {
  readonly sessionKey: string;
  readonly callId: string;
  readonly isWanted: boolean;
}): JSX.Element {
  const [isWanted, setWanted] = useState(props.isWanted);
  const [answer, setAnswer] = useState<ResultAnswer | CallError>();
  useEffect(() => {
    if (isWanted)
      get<ResultAnswer>("result", { key: props.sessionKey, call: props.callId }).then(setAnswer, setAnswer);
  }, [isWanted]);
  if (!isWanted)
    return (
      <button type="button" class="more" onClick={() => setWanted(true)}>
        The whole result
      </button>
    );
  if (answer === undefined) return <div class="loading" />;
  if (answer instanceof Error) return <p class="error">{answer.message}</p>;
  return (
    <div class="result">
      {answer.blocks.map((block, at) => {
        if (block.kind === "text")
          return (
            <div key={at}>
              <Code text={block.text} language="text" />
              {block.isCut ? (
                <p class="cut">The first {formatNumber(block.text.length)} characters.</p>
              ) : null}
            </div>
          );
        if (block.kind === "image")
          return <Picture key={at} mediaType={block.mediaType} data={block.data} alt="Result of the call" />;
        return (
          <p key={at} class="cut">
            {block.mediaType ?? "A document"}, {formatNumber(block.bytes)} bytes; not shown.
          </p>
        );
      })}
    </div>
  );
}

/** An image of a log. Its bytes are put into the page as a blob, so that nothing is loaded from an address. */
export function Picture(props: {
  readonly mediaType: string;
  readonly data: string;
  readonly alt: string;
}): JSX.Element {
  const { mediaType, data, alt } = props;
  const [url, setUrl] = useState<string | null>();
  useEffect(() => {
    const made = blobAddress(data, mediaType);
    setUrl(made);
    return () => {
      if (made !== null) URL.revokeObjectURL(made);
    };
  }, [data]);
  if (url === undefined) return <div class="loading" />;
  if (url === null) return <p class="cut">{alt}: its bytes are damaged.</p>;
  return <img class="picture" src={url} alt={alt} onError={() => setUrl(null)} />;
}

/** null if it is not base64. */
function blobAddress(base64: string, mediaType: string): string | null {
  try {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    return URL.createObjectURL(new Blob([bytes], { type: mediaType }));
  } catch {
    return null;
  }
}
