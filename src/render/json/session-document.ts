import type { Digest } from "../../extract/digest.ts";
import { extractTimeline } from "../../extract/extract-digest.ts";
import type { Session, Step } from "../../session/session.ts";
import { type StepJson, stepJson, type TurnJson, turnJson } from "./conversation-json.ts";
import {
  SCHEMA_VERSION,
  type SessionDetailJson,
  type SessionWhereabouts,
  sessionDetailJson,
} from "./session-json.ts";

/** A whole session as JSON: the output of `show --json`, and the complete conversation. */
interface SessionDocument extends SessionDetailJson {
  readonly schemaVersion: number;
  /** Steps before the first request. */
  readonly preamble: readonly StepJson[];
  readonly conversation: readonly TurnJson[];
  readonly subagentConversations: readonly {
    readonly id: string;
    readonly prompt: string | null;
    readonly steps: readonly StepJson[];
  }[];
  readonly branches: Session["branches"];
}

/** Yields the members of the document, in order. The conversation is a generator, which can be read once. */
export function* sessionDocument(
  where: SessionWhereabouts & { readonly digest: Digest },
  session: Session,
  resume: string,
): Generator<readonly [keyof SessionDocument, unknown], void, void> {
  yield ["schemaVersion", SCHEMA_VERSION];
  const detail = sessionDetailJson(where, session, extractTimeline(session), resume);
  for (const key of Object.keys(detail) as (keyof SessionDetailJson)[]) yield [key, detail[key]];
  yield ["preamble", stepsJson(session.preamble)];
  yield ["conversation", mapped(session.turns, turnJson)];
  yield [
    "subagentConversations",
    mapped(session.subagents, ({ id, prompt, steps }) => ({ id, prompt, steps: stepsJson(steps) })),
  ];
  yield ["branches", session.branches];
}

function* mapped<T, U>(items: readonly T[], map: (item: T) => U): Generator<U, void, void> {
  for (const item of items) yield map(item);
}

/** Converts steps outside of turns to JSON. */
function stepsJson(steps: readonly Step[]): readonly StepJson[] {
  return steps.map(stepJson);
}
