import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { countOf, formatNumber, relativeTo } from "../../render/words.ts";
import type { FilesReply } from "../server/answers.ts";
import { Icon } from "./icon.tsx";
import { PageFrame, WhenAnswered } from "./page-frame.tsx";
import { goTo, linkTo, type Route } from "./route.ts";
import { SessionLink } from "./session-link.tsx";
import { type IndexVersion, useCall } from "./use-call.ts";

interface FilesViewProps {
  readonly route: Route;
  readonly version: IndexVersion;
}

/** The sessions that touched a file, and when. */
export function FilesView({ route, version }: FilesViewProps): JSX.Element {
  const [pattern, setPattern] = useState(route.q);
  useEffect(() => setPattern(route.q), [route.q]);
  return (
    <PageFrame
      title="Files"
      says="Which sessions read or wrote a file: its name, the end of its path, or a pattern such as src/**/*.ts."
    >
      <form
        class="search"
        onSubmit={(event) => {
          event.preventDefault();
          goTo(linkTo("files", pattern.trim()));
        }}
      >
        <Icon name="file" />
        <input
          type="search"
          value={pattern}
          placeholder="auth.ts"
          aria-label="File"
          spellcheck={false}
          autocomplete="off"
          autofocus
          onInput={(event) => setPattern(event.currentTarget.value)}
        />
        <kbd>Enter</kbd>
      </form>
      {route.q === "" ? null : <FoundFiles pattern={route.q} version={version} />}
    </PageFrame>
  );
}

interface FoundFilesProps {
  readonly pattern: string;
  readonly version: IndexVersion;
}

function FoundFiles({ pattern, version }: FoundFilesProps): JSX.Element {
  const called = useCall<FilesReply>("files", { pattern }, version);
  return (
    <WhenAnswered
      called={called}
      show={({ total, sessions }) => (
        <>
          <p class="status" role="status">
            {total === 0 ? "No session touched such a file." : countOf(total, "session")}
            {total > sessions.length ? `; the newest ${sessions.length}:` : ""}
          </p>
          <ul class="rows">
            {sessions.map(({ files, ...session }) => (
              <li key={session.key}>
                <SessionLink session={session} />
                <ul class="touched">
                  {files.slice(0, 6).map(({ path, reads, writes }) => (
                    <li key={path}>
                      <code>{relativeTo(session.project, path)}</code>
                      <span class="soft">{touchWords(reads, writes)}</span>
                    </li>
                  ))}
                  {files.length > 6 ? <li class="soft">{countOf(files.length - 6, "more file")}</li> : null}
                </ul>
              </li>
            ))}
          </ul>
        </>
      )}
    />
  );
}

function touchWords(reads: number, writes: number): string {
  const words = [
    ...(writes > 0 ? [`written ${timesOf(writes)}`] : []),
    ...(reads > 0 ? [`read ${timesOf(reads)}`] : []),
  ];
  return words.length === 0 ? "named" : words.join(", ");
}

function timesOf(count: number): string {
  return count === 1 ? "once" : count === 2 ? "twice" : `${formatNumber(count)} times`;
}
