import type { JSX } from "preact";
import type { WorkReply } from "../server/answers.ts";
import { linkToSession } from "./route.ts";
import { placeName, when } from "./words.ts";

type LinkedSession = Pick<
  WorkReply["sessions"][number],
  "key" | "title" | "endedAt" | "agent" | "project" | "worktree" | "machine"
>;

/** A link to a session: its title and time, and below them its agent and project. */
export function SessionLink({ session }: { readonly session: LinkedSession }): JSX.Element {
  return (
    <a href={linkToSession(session.key)}>
      <span class="line">
        <b class="title">{session.title ?? "Untitled"}</b>
        <time>{when(session.endedAt)}</time>
      </span>
      <span class="line soft">
        <span class={`agent ${session.agent}`}>{session.agent}</span>
        <span class="project">{placeName(session)}</span>
      </span>
    </a>
  );
}
