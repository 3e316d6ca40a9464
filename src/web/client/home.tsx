import type { JSX } from "preact";
import { countOf } from "../../render/words.ts";
import type { ActivityReply, KeepingReply, WorkReply } from "../server/answers.ts";
import { Totals } from "./activity-view.tsx";
import { HeatMap } from "./heat-map.tsx";
import { linkTo, linkToSession } from "./route.ts";
import { type IndexVersion, useCall } from "./use-call.ts";
import { OpenItems } from "./work-view.tsx";

const SHOWN_WORK = 4;
const WEEKS = 40;

/** What is shown beside the list before a session is chosen: the year, what will be deleted, what is open. */
export function Home({ version }: { readonly version: IndexVersion }): JSX.Element {
  const activity = useCall<ActivityReply>("activity", {}, version);
  const keeping = useCall<KeepingReply>("keeping", {}, version);
  const work = useCall<WorkReply>("work", {}, version);
  return (
    <section class="reader home" aria-label="Overview">
      <div class="page-body">
        {activity.kind === "answer" ? (
          <>
            <Totals total={activity.answer.total} />
            <HeatMap
              weeks={WEEKS}
              days={activity.answer.days.map(({ day, turns }) => ({ day, value: turns }))}
              words={(value) => countOf(value, "turn")}
            />
          </>
        ) : null}
        {keeping.kind === "answer" ? <Risk keeping={keeping.answer} /> : null}
        {work.kind === "answer" && work.answer.total > 0 ? (
          <section>
            <h2>
              <a href={linkTo("work")}>Open work</a>
            </h2>
            {work.answer.sessions.slice(0, SHOWN_WORK).map(({ key, title, items }) => (
              <div key={key} class="open-session">
                <a href={linkToSession(key)}>{title ?? "Untitled"}</a>
                <OpenItems sessionKey={key} items={items.slice(0, 3)} />
              </div>
            ))}
          </section>
        ) : null}
      </div>
    </section>
  );
}

/** Warns of sessions that are about to be deleted and that the archive does not have. */
function Risk({ keeping }: { readonly keeping: KeepingReply }): JSX.Element | null {
  const all = keeping.agents.flatMap(({ atRisk }) => atRisk);
  const lost = all.filter(({ isArchived }) => !isArchived).length;
  if (all.length === 0) return null;
  return (
    <p class={lost === 0 ? "risk" : "risk bad"}>
      <a href={linkTo("keeping")}>{countOf(all.length, "session")} will be deleted within 30 days</a>
      {lost === 0 ? "; the archive has all of them." : `; ${lost} of them are not archived.`}
    </p>
  );
}
