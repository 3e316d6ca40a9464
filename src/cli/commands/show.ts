import { exitCodes, UserError } from "../../errors.ts";
import { extractTimeline } from "../../extract/extract-digest.ts";
import type { Library } from "../../fs/library.ts";
import { contextJson, treeJson, turnJson } from "../../render/json/conversation-json.ts";
import { sessionDetailJson } from "../../render/json/session-json.ts";
import { inBatches } from "../../render/text-parts.ts";
import { shellQuote } from "../../render/words.ts";
import { documentOf } from "../../search/export-session.ts";
import { onlyInIndex } from "../../search/only-in-index.ts";
import { type OpenSession, openSession } from "../../search/open-session.ts";
import type { IndexAccess } from "../../search/refresh/index-access.ts";
import type { Turn } from "../../session/session.ts";
import { sessionContext } from "../../session/session-context.ts";
import { agentFlags } from "../agent-answer.ts";
import { type Command, defineCommand } from "../command.ts";
import { namesFile, openLibrary } from "../open-library.ts";
import { conversationPrinter, wholeConversation } from "../output/conversation.ts";
import { page } from "../output/pager.ts";
import { printJson } from "../output/print-json.ts";
import { formatDigest } from "../output/session-digest.ts";
import { sessionHead } from "../output/session-table.ts";
import { formatTree } from "../output/session-tree.ts";
import { outputFile, outputFlags, writeAnswer } from "../output-file.ts";
import type { World } from "../world.ts";

export const command: Command = defineCommand({
  description:
    "Shows one session: its digest, or parts of the conversation. Name it by its id, the start of an id, " +
    "`last`, `current`, or the path of its log.",
  examples: [
    { line: "sessions show last", says: "the newest session of this folder" },
    { line: "sessions show 3f542803 --turns 4-7", says: "turns 4 to 7, with replies and tool calls" },
    { line: "sessions show 3f542803 --context", says: "what the agent would load when resumed" },
  ],
  positionals: [{ name: "session", description: "id, start of an id, last, current, or a path", many: true }],
  flags: {
    turn: { type: "number", min: 1, placeholder: "N", description: "one turn" },
    turns: { type: "string", placeholder: "A-B", description: "turns from A to B" },
    full: { type: "boolean", description: "the whole conversation, thinking folded" },
    tree: { type: "boolean", description: "branches, compactions, labels and sub-agents" },
    context: { type: "boolean", description: "what the agent would load when resumed" },
    markdown: { type: "boolean", description: "the whole session as markdown, as in the archive" },
    ...outputFlags,
    everywhere: { type: "boolean", description: "with last: in all projects" },
    ...agentFlags,
  },
  async run({ flags, positionals }, world) {
    const file = outputFile(flags);
    const { library, access, mask } = await openLibrary(world, {
      reveal: flags.reveal,
      allowDemo: file === undefined && !namesFile(positionals),
    });
    const range = readRange(flags.turn, flags.turns);
    const found = await openNamed(library, access, positionals, flags.everywhere);
    const open = mask(found);
    const turns = range === undefined ? undefined : turnsIn(open, range);
    if (flags.json && file === undefined) {
      printJson(world, { demo: library.demo, ...jsonOf(open, turns, flags) });
      return exitCodes.done;
    }
    // A file has no width and no colours.
    const shown =
      file === undefined
        ? world
        : { ...world, stdout: { ...world.stdout, columns: undefined, hasColor: false } };
    const document = flags.markdown ? documentOf(found, "md", mask) : undefined;
    const text = document === undefined ? textOf(open, turns, flags, shown) : "";
    const parts = (): Iterable<string> => (document === undefined ? [text] : inBatches(document()));
    if (file === undefined) await page(parts(), world);
    else
      await writeAnswer(library, file, parts, flags, world, {
        sessionId: found.session.id,
        agent: found.session.agent,
      });
    return exitCodes.done;
  },
});

async function openNamed(
  library: Library,
  { engine }: IndexAccess,
  selector: readonly string[],
  everywhere: boolean,
): Promise<OpenSession> {
  try {
    return openSession(library, selector, { everywhere });
  } catch (error) {
    const [id = ""] = selector;
    if (!(error instanceof UserError) || selector.length > 1) throw error;
    throw (await onlyInIndex(engine, id)) ?? error;
  }
}

interface ShowFlags {
  readonly full: boolean;
  readonly tree: boolean;
  readonly context: boolean;
}

function jsonOf(open: OpenSession, turns: readonly Turn[] | undefined, flags: ShowFlags): object {
  const { session } = open;
  const detail = sessionDetailJson(open, session, extractTimeline(session), shellQuote(open.resume.command));
  if (turns !== undefined)
    return { sessionId: session.id, agent: session.agent, conversation: turns.map(turnJson) };
  if (flags.tree) return { sessionId: session.id, agent: session.agent, ...treeJson(session) };
  if (flags.context)
    return { sessionId: session.id, agent: session.agent, context: contextJson(sessionContext(session)) };
  return flags.full ? { ...detail, conversation: session.turns.map(turnJson) } : detail;
}

function textOf(
  open: OpenSession,
  turns: readonly Turn[] | undefined,
  flags: ShowFlags,
  world: World,
): string {
  const { session } = open;
  const printer = conversationPrinter(world);
  const head = `${sessionHead(open, world)}\n`;
  if (turns !== undefined) return turns.map((turn) => printer.turn(turn)).join("");
  if (flags.tree) return head + formatTree(session, world);
  if (flags.full) return head + wholeConversation(session, printer);
  if (flags.context) return head + printer.context(sessionContext(session));
  return formatDigest(open, world);
}

function readRange(
  turn: number | undefined,
  turns: string | undefined,
): readonly [number, number] | undefined {
  if (turns === undefined) return turn === undefined ? undefined : [turn, turn];
  const match = /^(\d+)(?:-(\d*))?$/.exec(turns);
  if (match === null) {
    throw new UserError(`Cannot read --turns ${turns}: it is not a range`, {
      exitCode: exitCodes.wrongUsage,
      hint: "write --turns 4-7",
    });
  }
  const from = Number(match[1]);
  return [
    from,
    match[2] === undefined ? from : match[2] === "" ? Number.POSITIVE_INFINITY : Number(match[2]),
  ];
}

function turnsIn({ session }: OpenSession, [from, to]: readonly [number, number]): readonly Turn[] {
  const turns = session.turns.filter(({ number }) => number >= from && number <= to);
  if (turns.length > 0) return turns;
  throw new UserError(`Cannot show turn ${from} of session ${session.id}: it has ${session.turns.length}`, {
    exitCode: exitCodes.nothingFound,
  });
}
