import type { JSX } from "preact";
import { countOf } from "../../render/words.ts";
import type { HitLine } from "../server/answers.ts";
import { Dialog } from "./dialogs.tsx";
import { Highlighted } from "./highlighted.tsx";
import { folderName, span } from "./words.ts";

interface TeamHitProps {
  readonly hit: HitLine;
  readonly onClose: () => void;
}

/** A session that a team shares and this machine does not have: who, where, when, and its passages. */
export function TeamHit({ hit, onClose }: TeamHitProps): JSX.Element {
  const { owner, machine, agent, project, branch, startedAt, endedAt, turns, snippets } = hit;
  const place = `${folderName(project)}${branch === null || branch === "" ? "" : ` · ${branch}`}`;
  return (
    <Dialog title={hit.title ?? "Untitled"} onClose={onClose}>
      <p class="facts">
        <b>
          {owner} on {machine}
        </b>
        <span class={`agent ${agent}`}>{agent}</span>
        <span>{place}</span>
        <span>{span(startedAt, endedAt)}</span>
        <span>{countOf(turns, "turn")}</span>
      </p>
      {snippets.map((snippet, at) => (
        <p key={at} class="passage">
          <span class="soft">{snippet.turn > 0 ? `turn ${snippet.turn}` : snippet.role}</span>{" "}
          <Highlighted {...snippet} />
        </p>
      ))}
      <p class="soft">
        Its log is not on this machine, so it can't be opened here. On {machine}:{" "}
        <code>sessions show {hit.id}</code>
      </p>
    </Dialog>
  );
}
