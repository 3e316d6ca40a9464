import type { JSX } from "preact";
import { countOf } from "../../render/words.ts";
import type { WorkReply } from "../server/answers.ts";
import { PageFrame, WhenAnswered } from "./page-frame.tsx";
import { linkToSession } from "./route.ts";
import { SessionLink } from "./session-link.tsx";
import { type IndexVersion, useCall } from "./use-call.ts";

/** Work that sessions left open, and no later session finished. */
export function WorkView({ version }: { readonly version: IndexVersion }): JSX.Element {
  const called = useCall<WorkReply>("work", {}, version);
  return (
    <PageFrame
      title="Open work"
      says="Unfinished tasks, next steps, unanswered questions and interrupted requests that no later session finished."
    >
      <WhenAnswered
        called={called}
        show={({ total, sessions }) => (
          <>
            <p class="status" role="status">
              {total === 0 ? "Nothing is open." : countOf(total, "session")}
              {total > sessions.length ? `; the newest ${sessions.length}:` : ""}
            </p>
            <ul class="rows">
              {sessions.map(({ items, ...session }) => (
                <li key={session.key}>
                  <SessionLink session={session} />
                  <OpenItems sessionKey={session.key} items={items} />
                </li>
              ))}
            </ul>
          </>
        )}
      />
    </PageFrame>
  );
}

/** Open items of one session; each links to the turn that mentions it. */
export function OpenItems(props: {
  readonly sessionKey: string;
  readonly items: WorkReply["sessions"][number]["items"];
}): JSX.Element {
  return (
    <ul class="open-items">
      {props.items.map(({ text, turn, sign, says }, at) => (
        <li key={at}>
          <span class="sign" role="img" aria-label={says} title={says}>
            {sign}
          </span>
          <span>{text}</span>
          {turn === null ? null : <a href={linkToSession(props.sessionKey, turn)}>turn {turn}</a>}
        </li>
      ))}
    </ul>
  );
}
