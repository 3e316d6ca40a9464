import type { JSX } from "preact";

/** A passage with its matches marked. */
export function Highlighted(props: {
  readonly text: string;
  readonly highlights: readonly (readonly [number, number])[];
}): JSX.Element {
  const parts: (string | JSX.Element)[] = [];
  let from = 0;
  for (const [start, end] of props.highlights) {
    if (start < from) continue;
    parts.push(props.text.slice(from, start), <mark key={start}>{props.text.slice(start, end)}</mark>);
    from = end;
  }
  return (
    <>
      {parts}
      {props.text.slice(from)}
    </>
  );
}
