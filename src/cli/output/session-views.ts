import { extractTimeline } from "../../extract/extract-digest.ts";
import {
  contextJson,
  stepJson,
  subagentConversationJson,
  treeJson,
  turnJson,
} from "../../render/json/conversation-json.ts";
import { sessionDetailJson } from "../../render/json/session-json.ts";
import { shellQuote } from "../../render/words.ts";
import type { OpenSession } from "../../search/open-session.ts";
import type { Session } from "../../session/session.ts";
import { sessionContext } from "../../session/session-context.ts";
import type { World } from "../world.ts";
import { conversationPrinter, partOfConversation, wholeConversation } from "./conversation.ts";
import { formatDigest } from "./session-digest.ts";
import { sessionHead } from "./session-table.ts";
import { formatTree } from "./session-tree.ts";

/** The part of a session to show; none: its digest. */
interface View {
  readonly full: boolean;
  readonly tree: boolean;
  readonly context: boolean;
}

/** Some turns of a session. */
export type SessionPart = Pick<Session, "preamble" | "turns" | "subagents">;

/** A part of a session as JSON. */
export function viewJson(open: OpenSession, part: SessionPart | undefined, view: View): object {
  const { session } = open;
  const detail = sessionDetailJson(open, session, extractTimeline(session), shellQuote(open.resume.command));
  if (part !== undefined)
    return {
      sessionId: session.id,
      agent: session.agent,
      preamble: part.preamble.map(stepJson),
      conversation: part.turns.map(turnJson),
      subagentConversations: part.subagents.map(subagentConversationJson),
    };
  if (view.tree) return { sessionId: session.id, agent: session.agent, ...treeJson(session) };
  if (view.context)
    return { sessionId: session.id, agent: session.agent, context: contextJson(sessionContext(session)) };
  return view.full
    ? { ...detail, preamble: session.preamble.map(stepJson), conversation: session.turns.map(turnJson) }
    : detail;
}

/** A part of a session for reading. */
export function viewText(open: OpenSession, part: SessionPart | undefined, view: View, world: World): string {
  const { session } = open;
  const printer = conversationPrinter(world);
  const head = `${sessionHead(open, world)}\n`;
  if (part !== undefined) return partOfConversation(part, printer);
  if (view.tree) return head + formatTree(session, world);
  if (view.full) return head + wholeConversation(session, printer);
  if (view.context) return head + printer.context(sessionContext(session));
  return formatDigest(open, world);
}
