import * as z from "zod/mini";
import { exitCodes, type OpenSession, UserError } from "../../index.ts";
import { CHARS_PER_TOKEN } from "../../render/agent/fit-json.ts";
import type { AgentAnswer } from "../../render/agent/page-answer.ts";
import { PAGE_FORMAT, summaryFormats } from "../../render/summary-formats.ts";
import { countOf } from "../../render/words.ts";
import { sessionFacts, turnItems } from "../answers/turns-answer.ts";
import { type CallPage, defineTool, flag, type McpTool, selectorOf, sessionShape, text } from "./tool.ts";

export const readTool: McpTool = defineTool({
  name: "read_session",
  title: "Read a past session",
  description:
    "Read the conversation of a past session, turn by turn: requests, replies, tool calls with their outcome. Pass the turns " +
    "that search_sessions names; without turns it starts with the first.",
  input: {
    ...sessionShape,
    turns: z.optional(text('Which turns: "4", "4-7", "12-" (to the end), or "last 3".')),
    include_output: z._default(
      flag("Also the start of each tool result, and its id for retrieve_flattened."),
      false,
    ),
  },
  isReadOnly: true,
  async run({ turns, include_output, ...session }, context, { cursor }) {
    const history = await context.open(session.project_dir);
    const open = await history.session(selectorOf(session), { signal: context.signal });
    const { from, to } = rangeOf(turns, open);
    const items = turnItems(open.session, {
      from: Math.max(from, cursor?.at ?? 0),
      to,
      withOutput: include_output,
    });
    return {
      says: [],
      items:
        cursor === undefined
          ? (function* () {
              yield { at: 0, text: `${sessionFacts(open)}\n\n` };
              yield* items;
            })()
          : items,
    };
  },
});

function rangeOf(
  turns: string | undefined,
  { session }: OpenSession,
): { readonly from: number; readonly to: number } {
  // Steps before the first request are part of the first turn, even if no request followed.
  const count = Math.max(1, session.turns.length);
  if (turns === undefined) return { from: 1, to: count };
  const last = /^last(?:\s+(\d+))?$/.exec(turns.trim());
  if (last !== null) return { from: Math.max(1, count - Number(last[1] ?? 1) + 1), to: count };
  const range = /^(?:turns?\s*)?(\d+)(?:\s*(-|\u2013|\.\.)\s*(\d*))?$/.exec(turns.trim());
  const from = Number(range?.[1]);
  const to = range?.[2] === undefined ? from : range[3] === "" ? count : Number(range[3]);
  if (range === null || from > to) {
    throw new UserError(`Cannot read turns ${JSON.stringify(turns)}`, {
      exitCode: exitCodes.wrongUsage,
      hint: 'Write "4", "4-7", "12-" or "last 3"',
    });
  }
  if (from > count) {
    throw new UserError(
      `Cannot read turn ${from}: the session has ${countOf(session.turns.length, "turn")}`,
      {
        exitCode: exitCodes.nothingFound,
        hint: `Pass turns between 1 and ${count}`,
      },
    );
  }
  return { from, to };
}

export const summaryTool: McpTool = defineTool({
  name: "session_summary",
  title: "Summarize a past session",
  description:
    "Summarize a past session at once, without a model: what was asked, decided, changed and run, and what was left open. Use " +
    "it to get the gist of a session, or its continuation text to carry on its work here.",
  input: {
    ...sessionShape,
    format: z._default(
      z
        .enum(summaryFormats, `must be ${summaryFormats.slice(0, -1).join(", ")} or ${PAGE_FORMAT}`)
        .check(z.describe("markdown: a page about the whole session. claw, pi: as these agents compact.")),
      PAGE_FORMAT,
    ),
    continuation: z._default(flag("The text that starts a next session."), false),
  },
  isReadOnly: true,
  async run({ format, continuation, ...session }, context) {
    const history = await context.open(session.project_dir);
    const { text: summary } = await history.summary(selectorOf(session), {
      format,
      continuation,
      signal: context.signal,
    });
    return { says: [], items: [{ at: 0, text: summary }] };
  },
});

export const retrieveTool: McpTool = defineTool({
  name: "retrieve_flattened",
  title: "Retrieve a tool result",
  description:
    "Retrieve the whole result of one tool call of a session, also if it was flattened ([FLATTENED id=… marker), compacted " +
    "away or cut in what you were shown.",
  input: {
    ...sessionShape,
    tool_use_id: text(
      "The id of the call, from the marker or from read_session; #2 at its end: its second block.",
    ),
  },
  isReadOnly: true,
  async run({ tool_use_id, ...session }, context, page) {
    const history = await context.open(session.project_dir);
    const { blocks, from } = await history.retrieve(selectorOf(session), tool_use_id, {
      signal: context.signal,
    });
    const places = { sidecar: "its sidecar", log: "its log", archive: "the archive" };
    const media = blocks.filter(({ text: content }) => content === null);
    const notText =
      media.length === 0
        ? ""
        : ` ${countOf(media.length, "block")} of it is an image or a document and not shown.`;
    return {
      says: [`Found in ${places[from]}.${notText}`],
      items: [{ at: 0, text: needed(textsOf(blocks), page) }],
    } satisfies AgentAnswer;
  },
});

function* textsOf(blocks: readonly { readonly text: (() => Iterable<string>) | null }[]): Generator<string> {
  for (const { text: parts } of blocks) {
    if (parts === null) continue;
    yield* parts();
    yield "\n";
  }
}

/**
 * The part of a long text that one page can show from its cursor on, and a little more, which shows that it
 * continues.
 */
function needed(parts: Iterable<string>, { cursor, maxTokens }: CallPage): string {
  const most = (cursor?.chars ?? 0) + maxTokens * CHARS_PER_TOKEN + 1_000;
  let all = "";
  for (const part of parts) {
    all += part;
    if (all.length > most) break;
  }
  return all;
}
