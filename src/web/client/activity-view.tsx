import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { countOf, formatNumber } from "../../render/words.ts";
import type { ActivityReply, CountLine } from "../server/answers.ts";
import { HeatMap } from "./heat-map.tsx";
import { PageFrame, WhenAnswered } from "./page-frame.tsx";
import { linkTo, linkToProject } from "./route.ts";
import { Tabs } from "./tabs.tsx";
import { type IndexVersion, useCall } from "./use-call.ts";
import { dollars, short } from "./words.ts";

type Measure = "turns" | "sessions" | "toolCalls" | "tokens" | "cost";
const measures: readonly (readonly [Measure, string])[] = [
  ["turns", "Turns"],
  ["sessions", "Sessions"],
  ["toolCalls", "Tool calls"],
  ["tokens", "Tokens"],
  ["cost", "Cost"],
];

/** Shows when and where there was work, and how much. */
export function ActivityView({ version }: { readonly version: IndexVersion }): JSX.Element {
  const called = useCall<ActivityReply>("activity", {}, version);
  const [measure, setMeasure] = useState<Measure>("turns");
  return (
    <PageFrame
      title="Activity"
      says="Every message counts once, also in sessions whose logs are gone. A day links to its sessions."
    >
      <WhenAnswered
        called={called}
        show={(activity) => (
          <>
            <TotalTiles total={activity.total} />
            <Tabs label="What is counted" tabs={measures} chosen={measure} onChoose={setMeasure} />
            <HeatMap
              days={activity.days.map((day) => ({ day: day.day, value: day[measure] ?? 0 }))}
              words={(value) => amount(measure, value)}
            />
            <div class="bars-grid">
              <Bars
                title="Projects"
                measure={measure}
                rows={activity.projects.map((each) => ({
                  ...each,
                  link: each.project === null ? null : linkToProject(each.project),
                }))}
              />
              <Bars
                title="Agents"
                measure={measure}
                rows={activity.agents.map((each) => ({
                  ...each,
                  link: linkTo("sessions", `agent:${each.name}`),
                }))}
              />
              {measure === "turns" || measure === "sessions" ? null : (
                <Bars
                  title="Models"
                  measure={measure}
                  rows={activity.models.map((each) => ({ ...each, link: null }))}
                />
              )}
            </div>
            {measure === "cost" && activity.unpriced.length > 0 ? (
              <p class="soft">
                Without a price, and in no cost: {activity.unpriced.join(", ")}. <code>prices</code> in
                config.json sets one.
              </p>
            ) : null}
          </>
        )}
      />
    </PageFrame>
  );
}

export function TotalTiles({ total }: { readonly total: CountLine }): JSX.Element {
  return (
    <p class="tiles">
      <span title="Sessions with a turn or a message; lists also have empty ones">
        <b>{formatNumber(total.sessions)}</b> active {total.sessions === 1 ? "session" : "sessions"}
      </span>
      <span>
        <b>{formatNumber(total.turns)}</b> {total.turns === 1 ? "turn" : "turns"}
      </span>
      <span title={countOf(total.failures, "failed call")}>
        <b>{short(total.toolCalls)}</b> tool calls
      </span>
      <span title={countOf(total.tokens, "token")}>
        <b>{short(total.tokens)}</b> tokens
      </span>
      {total.cost === null ? null : (
        <span>
          <b>{dollars(total.cost)}</b> at list prices
        </span>
      )}
    </p>
  );
}

function amount(measure: Measure, value: number): string {
  if (measure === "cost") return dollars(value);
  const noun = { turns: "turn", sessions: "session", toolCalls: "tool call", tokens: "token" }[measure];
  return measure === "tokens" ? `${short(value)} tokens` : countOf(value, noun);
}

const SHOWN_BARS = 12;

interface BarsProps {
  readonly title: string;
  readonly measure: Measure;
  readonly rows: readonly (CountLine & { readonly name: string; readonly link: string | null })[];
}

function Bars({ title, measure, rows }: BarsProps): JSX.Element {
  const shown = rows
    .filter((row) => (row[measure] ?? 0) > 0)
    .toSorted((a, b) => (b[measure] ?? 0) - (a[measure] ?? 0))
    .slice(0, SHOWN_BARS);
  const most = shown[0]?.[measure] ?? 1;
  return (
    <section>
      <h2>{title}</h2>
      {shown.length === 0 ? <p class="soft">Nothing is known.</p> : null}
      <ul class="bars">
        {shown.map((row) => (
          <li key={row.link ?? row.name}>
            <span class="name" title={row.name}>
              {row.link === null ? row.name : <a href={row.link}>{row.name}</a>}
            </span>
            <span class="bar" aria-hidden="true">
              <i style={{ width: `${((row[measure] ?? 0) / most) * 100}%` }} />
            </span>
            <span class="count">
              {measure === "cost" ? dollars(row.cost ?? 0) : short(row[measure] ?? 0)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
