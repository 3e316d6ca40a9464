import type { Digest } from "../extract/digest.ts";
import { extractTimeline } from "../extract/timeline.ts";
import type { Session, Step } from "../model/session.ts";
import { type StepJson, type TurnJson, turnJson } from "../view/conversation-json.ts";
import {
  SCHEMA_VERSION,
  type SessionDetailJson,
  type SessionWhereabouts,
  sessionDetailJson,
} from "../view/session-json.ts";

/** A whole session as JSON: what `show --json` tells, and everything that was said and done. */
export interface SessionDocument extends SessionDetailJson {
  readonly schemaVersion: number;
  /** What stands before the first request. */
  readonly preamble: readonly StepJson[];
  readonly conversation: readonly TurnJson[];
  readonly subagentConversations: readonly {
    readonly id: string;
    readonly prompt: string | null;
    readonly steps: readonly StepJson[];
  }[];
  readonly branches: Session["branches"];
}

export function sessionDocument(
  where: SessionWhereabouts & { readonly digest: Digest },
  session: Session,
  resume: string,
): SessionDocument {
  return {
    schemaVersion: SCHEMA_VERSION,
    ...sessionDetailJson(where, session, extractTimeline(session), resume),
    preamble: stepsJson(session.preamble),
    conversation: session.turns.map(turnJson),
    subagentConversations: session.subagents.map(({ id, prompt, steps }) => ({
      id,
      prompt,
      steps: stepsJson(steps),
    })),
    branches: session.branches,
  };
}

/** As in a turn, without one. */
function stepsJson(steps: readonly Step[]): readonly StepJson[] {
  const turn = { number: 0, uid: null, at: null, line: 0, request: "" };
  return turnJson({ ...turn, context: "current", via: "typed", steps }).steps;
}
