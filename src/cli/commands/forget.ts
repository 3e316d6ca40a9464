import { resolve } from "node:path";
import { sessionOfLog } from "../../agents/session-of-log.ts";
import { forgottenSessions } from "../../archive/open-archive.ts";
import { exitCodes, UserError } from "../../errors.ts";
import { forgetSession, UNDO_DAYS, undoForget } from "../../forget.ts";
import type { Library } from "../../fs/library.ts";
import { isoTime } from "../../render/json/session-json.ts";
import type { SearchEngine } from "../../search/engine.ts";
import { findInIndex } from "../../search/only-in-index.ts";
import { MIN_PREFIX, selectSession } from "../../search/select-sessions.ts";
import type { SessionName } from "../../session/session.ts";
import { type LogWithMarkers, logsWithMarkers } from "../../shrink/logs-with-markers.ts";
import { type Command, defineCommand } from "../command.ts";
import { isConfirmed } from "../confirm.ts";
import { openLibrary } from "../open-library.ts";
import { countOf } from "../output/amounts.ts";
import { printJson } from "../output/print-json.ts";
import { sanitize } from "../output/sanitize.ts";
import { shortPath } from "../output/session-table.ts";
import { createStyle } from "../output/style.ts";
import { storeLocking } from "../store-locking.ts";

export const command: Command = defineCommand({
  description:
    "Removes a session from index, archive, exact bytes and sidecars. It does not come back, even if the " +
    `agent still has its log, which is not changed. For ${UNDO_DAYS} days, --undo restores it.`,
  examples: [
    { line: "sessions forget 3f542803", says: "forget a session; asks first" },
    { line: "sessions forget 3f542803 --undo", says: "restore it" },
  ],
  positionals: [{ name: "session", description: "id, start of an id, last, current, or a path", many: true }],
  flags: {
    yes: { type: "boolean", alias: "y", description: "do not ask" },
    undo: { type: "boolean", description: "restore a forgotten session" },
    everywhere: { type: "boolean", description: "with last: in all projects" },
  },
  async run({ flags, positionals }, world) {
    const { library, access, mask } = await openLibrary(world, { reveal: flags.reveal, allowDemo: false });
    const locking = storeLocking(world);
    const style = createStyle(world.stdout.hasColor);
    if (flags.undo) {
      const session = selectForgotten(library, positionals);
      const { broughtBack } = await world.uninterrupted(() => undoForget(library, session, { locking }));
      const { agent, id } = session;
      if (flags.json)
        printJson(world, { sessionId: id, agent, forgotten: false, broughtBack, undoUntil: null });
      else {
        const rest = broughtBack ? "" : ": its archive is gone, but it can be archived again";
        world.stdout.write(`Session ${sanitize(id)} is no longer forgotten${rest}.\n`);
      }
      return exitCodes.done;
    }
    const { agent, id, isIndexed, ...found } = await selectAny(library, access.engine, positionals, flags);
    const { source, flattened } = mask({ source: found.source, flattened: found.flattened });
    const forGood = isIndexed ? " Only the index has it: it can't be restored." : markersWarning(flattened);
    const question = `Forget session ${sanitize(id)} of ${agent}?${forGood}`;
    if (!flags.yes && !(await isConfirmed(`forget session ${id}`, question, world))) return exitCodes.refused;
    const done = await world.uninterrupted(() => forgetSession(library, { agent, id }, { locking }));
    if (flags.json) {
      const undoUntil = isIndexed ? null : isoTime(done.undoUntil);
      const flattenedLogs = flattened.map(({ path, markers }) => ({ file: path, markers }));
      printJson(world, {
        sessionId: id,
        agent,
        forgotten: true,
        broughtBack: false,
        undoUntil,
        source,
        flattenedLogs,
      });
    } else {
      world.stdout.write(`Session ${sanitize(id)} is forgotten.\n`);
      if (source !== null) {
        const path = sanitize(shortPath(source, world.home));
        world.stdout.write(style.dim(`The agent still has its log: ${path}\n`));
      }
      for (const { path, markers } of flattened) {
        const file = sanitize(shortPath(path, world.home));
        world.stdout.write(
          style.yellow(`${file} still has ${countOf(markers, "marker")} whose results are forgotten\n`),
        );
      }
      if (flattened.length > 0)
        world.stdout.write(style.dim("To restore the results: --undo, then sessions unflatten\n"));
      if (!isIndexed)
        world.stdout.write(
          style.dim(`To restore it within ${UNDO_DAYS} days: sessions forget ${sanitize(id)} --undo\n`),
        );
    }
    return exitCodes.done;
  },
});

interface Selected extends SessionName {
  /** The agent's own log; null if it is gone. */
  readonly source: string | null;
  /** Only the index still has it. */
  readonly isIndexed: boolean;
  /** Its logs that have markers; their results are removed with sidecar and archive. */
  readonly flattened: readonly LogWithMarkers[];
}

function markersWarning(flattened: readonly LogWithMarkers[]): string {
  return flattened.length === 0
    ? ""
    : " Its log is flattened, and the results that were moved out are removed, too: run `sessions unflatten` first to keep them.";
}

async function selectAny(
  library: Library,
  engine: SearchEngine,
  words: readonly string[],
  { everywhere }: { readonly everywhere: boolean },
): Promise<Selected> {
  try {
    const { agent, id, files, kept } = selectSession(library, words, { everywhere });
    const source = kept === undefined ? (files.files[0]?.path ?? null) : null;
    return { agent, id, source, isIndexed: false, flattened: logsWithMarkers(library, files) };
  } catch (error) {
    if (!(error instanceof UserError) || error.exitCode !== exitCodes.nothingFound) throw error;
    // A killed run may have hidden it before all of it was removed; finish that.
    const [stone, other] = tombstonesOf(library, words);
    if (stone !== undefined && other === undefined)
      return { ...stone, source: null, isIndexed: false, flattened: [] };
    const found = words.length === 1 ? await findInIndex(engine, words[0] ?? "") : undefined;
    if (found === undefined || forgottenSessions(library).has(found)) throw error;
    return { ...found, source: null, isIndexed: true, flattened: [] };
  }
}

/** Finds forgotten sessions by an id, the start of one, or a log that the agent still has. */
function tombstonesOf(library: Library, words: readonly string[]): readonly SessionName[] {
  const [word = "", ...rest] = words;
  if (rest.length > 0) return [];
  const { stones } = forgottenSessions(library);
  const log = resolve(library.surroundings.folder, word);
  const named = library.disk.stat(log) === undefined ? undefined : sessionOfLog(library, log);
  const exact = stones.filter(
    ({ id, agent }) =>
      id === word || `${agent}:${id}` === word || (named?.agent === agent && named.id === id),
  );
  const matches =
    exact.length > 0 ? exact : stones.filter(({ id }) => word.length >= MIN_PREFIX && id.startsWith(word));
  return matches.map(({ agent, id }) => ({ agent, id }));
}

function selectForgotten(library: Library, words: readonly string[]): SessionName {
  const [word = ""] = words;
  const [found, other] = tombstonesOf(library, words);
  if (found !== undefined && other === undefined) return found;
  const known = forgottenSessions(library)
    .stones.map(({ id }) => id)
    .slice(0, 5);
  throw new UserError(
    found === undefined
      ? `Cannot undo: no session "${word}" was forgotten`
      : "Cannot undo: several forgotten sessions match",
    {
      exitCode: found === undefined ? exitCodes.nothingFound : exitCodes.wrongUsage,
      ...(known.length === 0 ? {} : { hint: `forgotten sessions: ${known.join(", ")}` }),
    },
  );
}
