import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { countOf } from "../../render/words.ts";
import type { ContextAnswer, SessionAnswer } from "../server/answers.ts";
import { type CallError, get } from "./api.ts";
import { Typed } from "./prose.tsx";
import { linkToSession } from "./route.ts";
import { Said, WorkStep } from "./steps.tsx";
import { short } from "./words.ts";

/** What the agent would load if the session were resumed now. */
export function AgentContext({ session }: { readonly session: SessionAnswer }): JSX.Element {
  const [answer, setAnswer] = useState<ContextAnswer | CallError>();
  useEffect(() => {
    get<ContextAnswer>("context", { key: session.key }).then(setAnswer, setAnswer);
  }, [session.mark]);
  if (answer === undefined) return <div class="loading" />;
  if (answer instanceof Error) return <p class="error">{answer.message}</p>;
  const { key, subagents, compactionList } = session;
  const of = { key, subagents, compactionList };
  const left = session.outline.filter(({ context }) => context !== "current").length;
  return (
    <div class="conversation agent-context">
      <p class="soft">
        {session.contextTokens > 0 ? `${short(session.contextTokens)} tokens at its last message. ` : ""}
        {left === 0
          ? "Nothing was compacted away or abandoned: this is the whole conversation."
          : `${countOf(left, "turn")} of ${session.turns} were compacted away or abandoned and are not here.`}
        {answer.left === 0 ? "" : ` The first ${countOf(answer.left, "step")} are not shown.`}
      </p>
      {answer.items.map((item, at) => {
        if (item.kind === "request")
          return (
            <div key={at} class="request">
              <a class="turn-number" href={linkToSession(session.key, item.turn)}>
                {item.turn}
              </a>
              <Typed text={item.text} />
            </div>
          );
        const { step, turn, index } = item;
        if (step.kind === "call" || step.kind === "thinking")
          return (
            <div key={at} class="calls">
              <WorkStep of={of} place={{ turn }} index={index} step={step} />
            </div>
          );
        return <Said key={at} step={step} />;
      })}
    </div>
  );
}
