import type { JSX } from "preact";
import { countOf, formatNumber } from "../../render/words.ts";
import type { ActivityReply, KeepingReply, WorkReply } from "../server/answers.ts";
import { TotalTiles } from "./activity-view.tsx";
import { HeatMap } from "./heat-map.tsx";
import { linkTo } from "./route.ts";
import { SessionLink } from "./session-link.tsx";
import { type Called, type IndexVersion, useCall } from "./use-call.ts";
import { OpenItems } from "./work-view.tsx";

const SHOWN_WORK = 4;

interface HomeProps {
  readonly version: IndexVersion;
  readonly keeping: Called<KeepingReply>;
}

/** Shown beside the list before a session is chosen: the year, sessions about to be deleted, open work. */
export function Home({ version, keeping }: HomeProps): JSX.Element {
  const activity = useCall<ActivityReply>("activity", {}, version);
  const work = useCall<WorkReply>("work", {}, version);
  return (
    <section class="reader home" aria-label="Overview">
      <div class="page-body">
        {activity.kind === "answer" ? (
          <>
            <TotalTiles total={activity.answer.total} />
            <HeatMap
              fits
              days={activity.answer.days.map(({ day, turns }) => ({ day, value: turns }))}
              words={(value) => countOf(value, "turn")}
            />
          </>
        ) : null}
        {keeping.kind === "answer" ? <Risk keeping={keeping.answer} /> : null}
        {work.kind === "answer" && work.answer.total > 0 ? (
          <section>
            <h2>
              <a href={linkTo("work")}>Open work</a> <small>in {countOf(work.answer.total, "session")}</small>
            </h2>
            {work.answer.sessions.slice(0, SHOWN_WORK).map(({ items, ...session }) => (
              <div key={session.key} class="open-session">
                <SessionLink session={session} />
                <OpenItems sessionKey={session.key} items={items.slice(0, 3)} />
              </div>
            ))}
          </section>
        ) : null}
      </div>
    </section>
  );
}

/** Warns of sessions that are about to be deleted and are not archived. */
export function Risk({ keeping }: { readonly keeping: KeepingReply }): JSX.Element | null {
  const sum = (count: (agent: KeepingReply["agents"][number]) => number): number =>
    keeping.agents.reduce((all, agent) => all + count(agent), 0);
  const all = sum(({ deleted }) => deleted.sessions);
  const lost = sum(({ deleted }) => deleted.notArchived);
  if (all === 0) return null;
  return (
    <p class={lost === 0 ? "risk" : "risk bad"}>
      <a href={linkTo("keeping")}>{countOf(all, "session")} will be deleted within 30 days</a>
      {lost === 0
        ? "; archived, so nothing is lost."
        : lost === all
          ? "; none of them is archived."
          : `; ${formatNumber(lost)} of them not archived.`}
    </p>
  );
}
