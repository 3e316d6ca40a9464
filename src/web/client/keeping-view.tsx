import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { countOf, formatNumber } from "../../render/words.ts";
import { isForEver } from "../../retention/retention-days.ts";
import type { ArchiveReply, KeepingReply } from "../server/answers.ts";
import { Buttons, useWork, WorkWords } from "./actions.tsx";
import { post } from "./api.ts";
import { Dialog } from "./dialogs.tsx";
import { Icon } from "./icon.tsx";
import { PageFrame, WhenAnswered } from "./page-frame.tsx";
import { linkToSession } from "./route.ts";
import { type IndexVersion, useCall } from "./use-call.ts";
import { daysUntil, folderName, fullTime } from "./words.ts";

/** The sessions that agents will delete, when, and whether they are archived. */
export function KeepingView({ version }: { readonly version: IndexVersion }): JSX.Element {
  const [isAsking, setAsking] = useState(false);
  // Archiving does not change the index.
  const [times, setTimes] = useState(0);
  const called = useCall<KeepingReply>(
    "keeping",
    {},
    version === undefined ? version : `${version} ${times}`,
  );
  return (
    <PageFrame
      title="Keeping"
      says="Some agents delete sessions after a while. Archived sessions stay, and can be restored."
    >
      <WhenAnswered
        called={called}
        show={({ agents }) =>
          agents.length === 0 ? (
            <p>No agent here deletes sessions.</p>
          ) : (
            agents.map((agent) => (
              <AgentKeeping key={agent.folder} agent={agent} onArchive={() => setAsking(true)} />
            ))
          )
        }
      />
      {isAsking ? (
        <ArchiveAllDialog
          onClose={() => {
            setAsking(false);
            setTimes(times + 1);
          }}
        />
      ) : null}
    </PageFrame>
  );
}

function ArchiveAllDialog({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const [work, start] = useWork();
  const archive = async (): Promise<string> => {
    const { archived, unchanged, problems } = await post<ArchiveReply>("archive", {});
    const [first] = problems;
    return [
      `${countOf(archived, "session")} archived, ${formatNumber(unchanged)} as they were.`,
      ...(first === undefined
        ? []
        : [`${countOf(problems.length, "problem")}, the first: ${first.path}: ${first.what}.`]),
    ].join("\n");
  };
  return (
    <Dialog title="Archive all sessions?" onClose={onClose}>
      <p>
        Every byte of all logs, of all agents, and a readable copy of each session are kept in the archive,
        where no clean-up reaches them. The logs stay as they are. This may take minutes.
      </p>
      <WorkWords work={work} />
      <Buttons work={work} says="Archive all" onStart={() => void start(archive)} onClose={onClose} />
    </Dialog>
  );
}

interface AgentKeepingProps {
  readonly agent: KeepingReply["agents"][number];
  readonly onArchive: () => void;
}

function AgentKeeping({ agent, onArchive }: AgentKeepingProps): JSX.Element {
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
        <p class="keep-now">
          <button type="button" class="more" onClick={onArchive}>
            <Icon name="archive" /> Archive all
          </button>
          <span>
            <code>sessions retention forever</code> has {name} delete nothing.
          </span>
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
