import type { Digest } from "../../extract/digest.ts";
import { cutLine } from "../../extract/session-messages.ts";
import type { Session } from "../../session/session.ts";
import { type Block, inline, item } from "./blocks.ts";
import { commandsOf, decisionsOf, factsOf, filesOf, pendingOf, summaryOf } from "./sections.ts";

const MAX_REQUESTS = 12;
const MAX_DECISIONS = 12;
const MAX_FILES = 24;
const MAX_COMMANDS = 12;
const REQUEST_CHARS = 400;

/** A session on a page or two, for people: what the archive's document tells, without the conversation. */
export function markdownSummary(session: Session, digest: Digest, resume: string): string {
  const most: Digest = {
    ...digest,
    decisions: digest.decisions.slice(-MAX_DECISIONS),
    files: digest.files
      .filter(({ reads, writes }) => reads + writes > 0)
      .toSorted((a, b) => b.writes - a.writes || b.reads - a.reads)
      .slice(0, MAX_FILES),
    commands: digest.commands.slice(-MAX_COMMANDS),
  };
  const blocks: readonly Block[] = [
    `# ${inline(digest.title ?? "") || `Session ${inline(digest.id)}`}`,
    factsOf(digest, { sha256: null, resume, sources: [] }),
    ...summaryOf(session, digest),
    ...requestsOf(session),
    ...decisionsOf(most),
    ...filesOf(most),
    ...commandsOf(most),
    ...pendingOf(most),
  ];
  return `${blocks.join("\n\n")}\n`;
}

/** The first says what the session is about, the last ones where it went. */
function requestsOf({ turns }: Session): readonly Block[] {
  const [first, ...more] = turns.filter(
    ({ request, context }) => request.trim() !== "" && context !== "branch",
  );
  if (first === undefined) return [];
  const last = more.slice(1 - MAX_REQUESTS);
  const rows = [first, ...last].map(
    ({ number, request }) => `${item(cutLine(request, REQUEST_CHARS))} (turn ${number})`,
  );
  if (last.length < more.length) rows.splice(1, 0, `- … ${more.length - last.length} more …`);
  return ["## Requests", rows.join("\n")];
}
