import type { JSX } from "preact";
import { useCallback, useEffect, useState } from "preact/hooks";
import type { CoverageLine } from "../server/answers.ts";
import { ActivityView } from "./activity-view.tsx";
import { CallError, get, hasToken } from "./api.ts";
import { KeysDialog } from "./dialogs.tsx";
import { FilesView } from "./files-view.tsx";
import { Icon, type IconName } from "./icon.tsx";
import { KeepingView } from "./keeping-view.tsx";
import { isTyping } from "./keys.ts";
import { PageTools } from "./page-tools.tsx";
import { ProjectsView } from "./projects-view.tsx";
import { linkTo, type Route, useRoute } from "./route.ts";
import { SessionsView } from "./sessions-view.tsx";
import { type IndexVersion, versionOf } from "./use-call.ts";
import { WorkView } from "./work-view.tsx";

const tabs: readonly {
  readonly view: Exclude<Route["view"], "session">;
  readonly icon: IconName;
  readonly says: string;
}[] = [
  { view: "sessions", icon: "search", says: "Sessions" },
  { view: "projects", icon: "folder", says: "Projects" },
  { view: "files", icon: "file", says: "Files" },
  { view: "work", icon: "check", says: "Open work" },
  { view: "activity", icon: "activity", says: "Activity" },
  { view: "keeping", icon: "shield", says: "Keeping" },
];

/** How often the logs are checked for changes, while the page can be seen. */
const REFRESH_MS = 10_000;

export function App(): JSX.Element {
  const route = useRoute();
  const { version, error } = useRefresh();
  const [isHelpOpen, setHelpOpen] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === "?" && !isTyping(event)) setHelpOpen(true);
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  if (!hasToken() || (error instanceof CallError && error.status === 401)) return <Locked />;
  return (
    <div class={`app ${route.view}`}>
      <Rail route={route} onHelp={() => setHelpOpen(true)} />
      {error instanceof CallError && error.status === 0 ? (
        <p class="banner" role="alert">
          {error.message}: {error.hint}.
        </p>
      ) : null}
      <View route={route} version={version} onHelp={() => setHelpOpen(true)} />
      {isHelpOpen ? <KeysDialog onClose={() => setHelpOpen(false)} /> : null}
    </div>
  );
}

interface ViewProps {
  readonly route: Route;
  readonly version: IndexVersion;
  readonly onHelp: () => void;
}

function View({ route, version, onHelp }: ViewProps): JSX.Element {
  switch (route.view) {
    case "sessions":
    case "session":
      return <SessionsView route={route} version={version} onHelp={onHelp} />;
    case "projects":
      return <ProjectsView version={version} />;
    case "files":
      return <FilesView route={route} version={version} />;
    case "work":
      return <WorkView version={version} />;
    case "activity":
      return <ActivityView version={version} />;
    case "keeping":
      return <KeepingView version={version} />;
  }
}

/** Has changed logs read into the index, repeatedly. */
function useRefresh(): {
  readonly version: IndexVersion;
  readonly error: unknown;
} {
  const [state, setState] = useState<{ version?: string; error?: unknown }>({});
  const refresh = useCallback(async () => {
    if (document.visibilityState !== "visible") return;
    try {
      setState({ version: versionOf(await get<CoverageLine>("refresh")) });
    } catch (error) {
      setState((before) => ({ ...before, version: before.version ?? "", error }));
    }
  }, []);
  useEffect(() => {
    void refresh();
    const timer = setInterval(() => void refresh(), REFRESH_MS);
    document.addEventListener("visibilitychange", refresh);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", refresh);
    };
  }, []);
  return { version: state.version, error: state.error };
}

interface RailProps {
  readonly route: Route;
  readonly onHelp: () => void;
}

/** Navigation between the views: at the left, or at the bottom of a phone. */
function Rail({ route, onHelp }: RailProps): JSX.Element {
  const shown = route.view === "session" ? "sessions" : route.view;
  return (
    <nav class="rail" aria-label="Views">
      {tabs.map(({ view, icon, says }) => (
        <a key={view} href={linkTo(view)} aria-current={shown === view ? "page" : undefined}>
          <Icon name={icon} />
          <span>{says}</span>
        </a>
      ))}
      <div class="rail-foot">
        <PageTools onHelp={onHelp} />
      </div>
    </nav>
  );
}

/** Shown if the page was opened without the address that `sessions serve` printed. */
function Locked(): JSX.Element {
  return (
    <main class="locked">
      <h1>This page is locked</h1>
      <p>
        It opens with the address that <code>sessions serve</code> printed, which ends with a token. The token
        changes each time the server is started.
      </p>
      <p>
        <code>sessions serve --open</code> opens it in the browser.
      </p>
    </main>
  );
}
