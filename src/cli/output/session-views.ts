import { extractTimeline } from "../../extract/extract-digest.ts";
import { contextJson, treeJson, turnJson } from "../../render/json/conversation-json.ts";
import { sessionDetailJson } from "../../render/json/session-json.ts";
import { shellQuote } from "../../render/words.ts";
import type { OpenSession } from "../../search/open-session.ts";
import type { Turn } from "../../session/session.ts";
import { sessionContext } from "../../session/session-context.ts";
import type { World } from "../world.ts";
import { conversationPrinter, wholeConversation } from "./conversation.ts";
import { formatDigest } from "./session-digest.ts";
import { sessionHead } from "./session-table.ts";
import { formatTree } from "./session-tree.ts";

/** The part of a session to show; none: its digest. */
interface View {
  readonly full: boolean;
  readonly tree: boolean;
  readonly context: boolean;
}

/** A part of a session as JSON. */
export function viewJson(open: OpenSession, turns: readonly Turn[] | undefined, view: View): object {
  const { session } = open;
  const detail = sessionDetailJson(open, session, extractTimeline(session), shellQuote(open.resume.command));
  if (turns !== undefined)
    return { sessionId: session.id, agent: session.agent, conversation: turns.map(turnJson) };
  if (view.tree) return { sessionId: session.id, agent: session.agent, ...treeJson(session) };
  if (view.context)
    return { sessionId: session.id, agent: session.agent, context: contextJson(sessionContext(session)) };
  return view.full ? { ...detail, conversation: session.turns.map(turnJson) } : detail;
}

/** A part of a session for reading. */
export function viewText(
  open: OpenSession,
  turns: readonly Turn[] | undefined,
  view: View,
  world: World,
): string {
  const { session } = open;
  const printer = conversationPrinter(world);
  const head = `${sessionHead(open, world)}\n`;
  if (turns !== undefined) return turns.map((turn) => printer.turn(turn)).join("");
  if (view.tree) return head + formatTree(session, world);
  if (view.full) return head + wholeConversation(session, printer);
  if (view.context) return head + printer.context(sessionContext(session));
  return formatDigest(open, world);
}
