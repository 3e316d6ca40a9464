import type { Redactor } from "../../redact/redact.ts";
import { lineEndsIn, type PlacedTexts } from "./file-texts.ts";
import type { MatchingText } from "./find-matches.ts";
import type { GrepHit } from "./grep-job.ts";
import { createPassageCutter } from "./mask-spans.ts";
import { linesAround, type Span } from "./match-lines.ts";
import type { SessionPlace } from "./session-places.ts";

export interface HitPlace extends SessionPlace {
  readonly path: string;
  readonly generation: number | null;
}

export interface HitOptions {
  readonly contextLines: number;
  /** undefined: secrets are told as they are. */
  readonly redactor: Redactor | undefined;
}

/** What is told of the matching lines of one text. */
export function* makeHits(
  { role, text, lines }: MatchingText,
  placed: Pick<PlacedTexts, "line" | "at" | "isPlain">,
  { path, generation, turn, turnAt, context }: HitPlace,
  { contextLines, redactor }: HitOptions,
): Generator<GrepHit> {
  const around = lines.map(({ start, end }) => linesAround(text, start, end, contextLines));
  const pieces = lines.map(({ start, end }, index): Span => {
    const { before = [], after = [] } = around[index] ?? {};
    return [before[0]?.[0] ?? start, after.at(-1)?.[1] ?? end];
  });
  const { cut } = createPassageCutter(text, pieces, redactor);
  let counted = 0;
  let textLine = 1;
  for (const [index, { start, end, ranges, matches }] of lines.entries()) {
    textLine += lineEndsIn(text, counted, start);
    counted = start;
    const line = placed.isPlain ? placed.line + textLine - 1 : placed.line;
    const { before = [], after = [] } = around[index] ?? {};
    const passage = cut([start, end], ranges);
    yield {
      ...{ path, line, generation, role, turn, at: placed.at ?? turnAt, context },
      ...{ textLine, text: passage.text, highlights: passage.highlights, matches },
      before: before.map((span) => cut(span, []).text),
      after: after.map((span) => cut(span, []).text),
    };
  }
}
