import { nearest } from "../../search/query/nearest.ts";

/** "did you mean --limit?", or nothing where no known word is near. */
export function hintNearest(
  typed: string,
  known: readonly string[],
  show: (near: string) => string,
): string | undefined {
  const [near] = nearest(typed, known, { limit: 1 });
  return near === undefined ? undefined : `did you mean ${show(near)}?`;
}
