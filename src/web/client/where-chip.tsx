import type { JSX } from "preact";
import type { SessionLine } from "../server/answers.ts";

/** Says where the log of a session is, if it is not here. */
export function WhereChip({
  session: { state, machine },
}: {
  readonly session: Pick<SessionLine, "state" | "machine">;
}): JSX.Element | null {
  if (machine !== null) return <em class="chip kept">on {machine}</em>;
  return state === "kept" ? <em class="chip kept">only in archive</em> : null;
}
