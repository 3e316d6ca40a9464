import { useLayoutEffect, useState } from "preact/hooks";
import { sessionPlace, withQuery } from "../session-place.ts";

/** The state of the page, which is in the fragment of its address, so that every view and every turn has a link. */
export interface Route {
  readonly view: "sessions" | "session" | "projects" | "files" | "work" | "activity" | "keeping";
  /** The key of the shown session. */
  readonly key: string | null;
  readonly turn: number | null;
  /** The query, or the pattern of files. */
  readonly q: string;
}

const views: readonly Route["view"][] = ["projects", "files", "work", "activity", "keeping"];

export function readRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#/, "").split("?");
  const q = new URLSearchParams(query).get("q") ?? "";
  const [name = "", key = "", turn = ""] = path.split("/").slice(1).map(decode);
  if (name === "session" && key !== "") {
    return { view: "session", key, turn: /^\d+$/.test(turn) ? Number(turn) : null, q };
  }
  return { view: views.find((view) => view === name) ?? "sessions", key: null, turn: null, q };
}

/** A link may have been typed or cut. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function linkTo(view: Exclude<Route["view"], "session">, q: string = ""): string {
  return withQuery(view === "sessions" ? "#/" : `#/${view}`, q);
}

/** The sessions of a folder. */
export function linkToProject(folder: string): string {
  return linkTo("sessions", /\s/.test(folder) ? `project:"${folder}"` : `project:${folder}`);
}

export function linkToSession(key: string, turn: number | null = null, q: string = ""): string {
  return `#${sessionPlace(key, turn, q)}`;
}

/** Shows another view; `replace` leaves no entry in the browser's history. */
export function goTo(link: string, how: "push" | "replace" = "push"): void {
  if (how === "push") location.hash = link;
  else {
    history.replaceState(null, "", link);
    dispatchEvent(new HashChangeEvent("hashchange"));
  }
}

export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  // Listens as soon as the page is drawn: a change before a later effect would be missed.
  useLayoutEffect(() => {
    const follow = (): void => setHash(location.hash);
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return readRoute(hash);
}
