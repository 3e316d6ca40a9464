import type { ComponentChildren, JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { Called } from "./use-call.ts";

interface PageFrameProps {
  readonly title: string;
  /** One sentence below the title. */
  readonly says: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A view that fills the window beside the navigation. */
export function PageFrame({ title, says, children }: PageFrameProps): JSX.Element {
  useEffect(() => {
    document.title = `${title} · sessions`;
    return () => {
      document.title = "sessions";
    };
  }, [title]);
  return (
    <main class="page">
      <div class="page-body">
        <h1>{title}</h1>
        <p class="soft">{says}</p>
        {children}
      </div>
    </main>
  );
}

/** Shows an answer, or that it is loading or failed. */
export function WhenAnswered<T>(props: {
  readonly called: Called<T>;
  readonly show: (answer: T) => ComponentChildren;
}): JSX.Element {
  const { called, show } = props;
  if (called.kind === "loading") return <div class="loading" />;
  if (called.kind === "answer") return <>{show(called.answer)}</>;
  return (
    <p role="alert" class="error">
      {called.error.message}
      {called.error.hint === null ? "" : `: ${called.error.hint}`}
    </p>
  );
}
