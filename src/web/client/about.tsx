import type { ComponentChildren, JSX } from "preact";
import { countOf, formatNumber, relativeTo } from "../../render/words.ts";
import type { SessionAnswer } from "../server/answers.ts";
import { linkToSession } from "./route.ts";
import { bytes, dollars, short, span } from "./words.ts";

const SHOWN_FILES = 40;

/** The cost of its messages; null if its log does not say what they used. */
function usageWords({ usage, contextTokens }: SessionAnswer): string | null {
  if (usage === null) return null;
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, cost } = usage;
  const read = cacheReadTokens + cacheWriteTokens;
  return [
    `${short(inputTokens + read)} tokens in${read === 0 ? "" : ` (${short(cacheReadTokens)} from the cache)`}`,
    `${short(outputTokens)} out`,
    ...(cost === null ? [] : [`${dollars(cost)} at list prices`]),
    ...(contextTokens === 0 ? [] : [`${short(contextTokens)} in context at the last message`]),
  ].join(", ");
}

function goneWords({ machine, state }: SessionAnswer): string {
  if (state === "stub") return "gone; only its prompts are left";
  return machine === null ? "gone; the archive has it" : `on ${machine}; the archive here has it too`;
}

/** Facts about a session besides its conversation. */
export function About({ session }: { readonly session: SessionAnswer }): JSX.Element {
  const { files, tools, pending, subagents, parent, continuedIn, otherCopies } = session;
  const facts: readonly (readonly [string, ComponentChildren])[] = [
    ["Session", <code>{session.id}</code>],
    ["Agent", [session.agent, session.version, session.model].filter((word) => word !== null).join(" · ")],
    ["Project", session.project === null ? null : <code>{session.project}</code>],
    ["Branch", session.branch === null || session.branch === "" ? null : <code>{session.branch}</code>],
    ["When", span(session.startedAt, session.endedAt)],
    [
      "Size",
      `${bytes(session.bytes)}, ${countOf(session.turns, "turn")}, about ${short(session.tokens)} tokens of text`,
    ],
    ["Used", usageWords(session)],
    ["Resume", <code>{session.resume}</code>],
    ["Machine", session.machine],
    ["Log", session.source === null ? goneWords(session) : <code>{session.source}</code>],
    ["Readable copy", session.archive === null ? "none yet" : <code>{session.archive}</code>],
    [
      "Other copies",
      otherCopies.length === 0 ? null : otherCopies.map((path) => <code key={path}>{path}</code>),
    ],
    ["From", parent === null ? null : `${parent.kind} of ${parent.session}`],
    ["Continued in", continuedIn],
    ["Problems", session.problems === 0 ? null : `${countOf(session.problems, "line")} could not be read`],
  ];
  return (
    <div class="about">
      <dl class="fact-list">
        {facts.map(([name, value]) =>
          value === null ? null : (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
        )}
      </dl>
      {pending.length === 0 ? null : (
        <section>
          <h2>Left open</h2>
          <ul>
            {pending.map(({ text, turn, from }, at) => (
              <li key={at}>
                {text} ({from}){" "}
                {turn === null ? null : <a href={linkToSession(session.key, turn)}>turn {turn}</a>}
              </li>
            ))}
          </ul>
        </section>
      )}
      {subagents.length === 0 ? null : (
        <section>
          <h2>Sub-agents</h2>
          <ul>
            {subagents.map(({ id, type, description, turn, calls }) => (
              <li key={id}>
                {description ?? id}{" "}
                <span class="soft">
                  {type === null ? "" : `${type} · `}
                  {countOf(calls, "call")}
                </span>{" "}
                {turn === null ? null : <a href={linkToSession(session.key, turn)}>turn {turn}</a>}
              </li>
            ))}
          </ul>
        </section>
      )}
      {files.length === 0 ? null : (
        <section>
          <h2>Files</h2>
          <table class="plain">
            <thead>
              <tr>
                <th>Written</th>
                <th>Read</th>
                <th>File</th>
              </tr>
            </thead>
            <tbody>
              {files.slice(0, SHOWN_FILES).map(({ path, reads, writes }) => (
                <tr key={path}>
                  <td class="count">{writes === 0 ? "" : formatNumber(writes)}</td>
                  <td class="count">{reads === 0 ? "" : formatNumber(reads)}</td>
                  <td>
                    <code>{relativeTo(session.project, path)}</code>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          {files.length > SHOWN_FILES ? (
            <p class="soft">{countOf(files.length - SHOWN_FILES, "more file")}</p>
          ) : null}
        </section>
      )}
      {tools.length === 0 ? null : (
        <section>
          <h2>Tools</h2>
          <p class="tool-list">
            {tools.map(({ name, count, errors }) => (
              <span key={name}>
                <b>{name}</b> {formatNumber(count)}
                {errors === 0 ? null : <span class="outcome"> {formatNumber(errors)} failed</span>}
              </span>
            ))}
          </p>
        </section>
      )}
    </div>
  );
}
