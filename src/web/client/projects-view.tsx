import type { JSX } from "preact";
import { countOf } from "../../render/words.ts";
import type { ProjectLine, ProjectsReply } from "../server/answers.ts";
import { PageFrame, WhenAnswered } from "./page-frame.tsx";
import { linkToProject } from "./route.ts";
import { type IndexVersion, useCall } from "./use-call.ts";
import { when } from "./words.ts";

/** All projects, the last active first; each leads to its sessions. */
export function ProjectsView({ version }: { readonly version: IndexVersion }): JSX.Element {
  const called = useCall<ProjectsReply>("projects", {}, version);
  return (
    <PageFrame title="Projects" says="The last active first; worktrees are part of their repository.">
      <WhenAnswered
        called={called}
        show={({ projects }) => {
          const most = Math.max(1, ...projects.map(({ sessions }) => sessions));
          return (
            <ul class="cards">
              {projects.map((project) => (
                <li key={`${project.machine ?? ""}:${project.project ?? ""}`}>
                  <ProjectCard project={project} most={most} />
                </li>
              ))}
            </ul>
          );
        }}
      />
    </PageFrame>
  );
}

function ProjectCard({
  project,
  most,
}: {
  readonly project: ProjectLine;
  readonly most: number;
}): JSX.Element {
  const { name, machine, project: folder, sessions, turns, endedAt, agents, worktrees } = project;
  const words = (
    <>
      <span class="line">
        <b class="title">{machine === null ? name : `${machine}:${name}`}</b>
        <time>{when(endedAt)}</time>
      </span>
      <span class="path soft">{folder ?? "sessions without a folder"}</span>
      <span class="bar" aria-hidden="true">
        <i style={{ width: `${Math.max(2, (sessions / most) * 100)}%` }} />
      </span>
      <span class="line soft counts">
        <span class="project">
          {countOf(sessions, "session")}, {countOf(turns, "turn")}
        </span>
        {agents.map((each) => (
          <span key={each.agent} class={`agent ${each.agent}`}>
            {each.agent} {each.sessions}
          </span>
        ))}
      </span>
    </>
  );
  return (
    <>
      {folder === null ? (
        <div class="card">{words}</div>
      ) : (
        <a class="card" href={linkToProject(folder)}>
          {words}
        </a>
      )}
      {worktrees.map((each) => (
        <a key={each.worktree} class="worktree" href={linkToProject(each.project ?? each.worktree)}>
          <span class="project">{each.worktree}</span>
          <span class="soft">
            {countOf(each.sessions, "session")} · {when(each.endedAt)}
          </span>
        </a>
      ))}
    </>
  );
}
