import type { JSX } from "preact";
import { countOf, formatNumber } from "../../render/words.ts";
import { isForEver } from "../../retention/retention-days.ts";
import type { KeepingReply } from "../server/answers.ts";
import { Answered, PageFrame } from "./page-frame.tsx";
import { linkToSession } from "./route.ts";
import { type IndexVersion, useCall } from "./use-call.ts";
import { daysUntil, folderName, fullTime } from "./words.ts";

/** What agents will delete, and when, and whether the archive has it. */
export function KeepingView({ version }: { readonly version: IndexVersion }): JSX.Element {
  const called = useCall<KeepingReply>("keeping", {}, version);
  return (
    <PageFrame
      title="Keeping"
      says="Some agents delete sessions after a while. What the archive has stays, and can be restored."
    >
      <Answered
        called={called}
        show={({ agents }) =>
          agents.length === 0 ? (
            <p>No agent here deletes sessions.</p>
          ) : (
            agents.map((agent) => <AgentKeeping key={agent.folder} agent={agent} />)
          )
        }
      />
    </PageFrame>
  );
}

function AgentKeeping({ agent }: { readonly agent: KeepingReply["agents"][number] }): JSX.Element {
  const { name, folder, days, from, paused, sessions, notArchived, deleted, atRisk } = agent;
  return (
    <section class="agent-keeping">
      <h2>
        {name} keeps sessions {isForEver(days) ? "for ever" : `for ${countOf(days, "day")}`}
      </h2>
      <p class="soft">
        {from === "default" ? "Its default" : <code>{from}</code>} · <code>{folder}</code>
      </p>
      <p class="tiles">
        <span>
          <b>{formatNumber(sessions)}</b> {sessions === 1 ? "session" : "sessions"}
        </span>
        <span class={notArchived === 0 ? "good" : "bad"}>
          <b>{formatNumber(notArchived)}</b> not archived
        </span>
        <span class={deleted.notArchived === 0 ? "good" : "bad"}>
          <b>{formatNumber(deleted.sessions)}</b> deleted within 30 days
        </span>
      </p>
      {paused === null ? null : <p class="note">Nothing is deleted at present: {paused}.</p>}
      {notArchived === 0 ? null : (
        <p>
          <code>sessions archive</code> archives everything; <code>sessions retention forever</code> has{" "}
          {name} keep it.
        </p>
      )}
      {atRisk.length === 0 ? null : (
        <div class="wide">
          {deleted.sessions > atRisk.length ? (
            <p class="soft">The {formatNumber(atRisk.length)} that are deleted first:</p>
          ) : null}
          <table class="plain">
            <thead>
              <tr>
                <th>Deleted</th>
                <th>Archived</th>
                <th>Project</th>
                <th>Session</th>
              </tr>
            </thead>
            <tbody>
              {atRisk.map(({ key, title, project, deletedAfter, isArchived }) => (
                <tr key={key}>
                  <td title={fullTime(deletedAfter)}>{daysUntil(deletedAfter)}</td>
                  <td class={isArchived ? "good" : "bad"}>{isArchived ? "✓ yes" : "✗ no"}</td>
                  <td title={project ?? ""}>{folderName(project)}</td>
                  <td title={title ?? ""}>
                    <a href={linkToSession(key)}>{title ?? "Untitled"}</a>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
