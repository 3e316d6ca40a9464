import { exitCodes, type ForgetPreview, type History, UserError } from "../../index.ts";
import { isoTime } from "../../render/json/session-json.ts";
import { shellQuote } from "../../render/words.ts";
import { type Command, defineCommand, dryRunFlag, sessionPositional } from "../command.ts";
import { isConfirmed } from "../confirm.ts";
import { keepSite } from "../keep-site.ts";
import { openHistoryIn } from "../open-history.ts";
import { amountOf } from "../output/amounts.ts";
import { printJson } from "../output/print-json.ts";
import { reportProblems } from "../output/problems.ts";
import { sanitize } from "../output/sanitize.ts";
import { listTitle, shortPath } from "../output/session-table.ts";
import { createStyle } from "../output/style.ts";
import { wrap, wrapMessage } from "../output/text-width.ts";
import type { World } from "../world.ts";

export const command: Command = defineCommand({
  description:
    "Removes a session from index, archive, exact bytes and sidecars. It does not come back, even if the " +
    "agent still has its log, which is not changed. For a week, --undo restores it.",
  examples: [
    { line: "sessions forget 3f542803", says: "forget a session; asks first" },
    { line: "sessions forget 3f542803 --dry-run", says: "what would be forgotten" },
    { line: "sessions forget 3f542803 --undo", says: "restore it" },
  ],
  positionals: [sessionPositional],
  flags: {
    "dry-run": dryRunFlag,
    yes: { type: "boolean", alias: "y", description: "do not ask" },
    undo: { type: "boolean", description: "restore a forgotten session" },
    "all-copies": { type: "boolean", description: "take every log with that id" },
    everywhere: { type: "boolean", description: "with last: in all projects" },
  },
  async run({ flags, positionals }, world) {
    const history = await openHistoryIn(world, { reveal: flags.reveal, allowDemo: false });
    const style = createStyle(world.stdout.hasColor);
    if (flags.undo && flags["dry-run"]) {
      throw new UserError("Cannot take --dry-run with --undo: it shows what would be forgotten", {
        exitCode: exitCodes.wrongUsage,
        hint: "`sessions show` of a forgotten session finds nothing until it is restored; --undo only restores",
      });
    }
    if (flags.undo) {
      const { agent, id, broughtBack } = await world.uninterrupted(() =>
        history.undoForget(positionals, { allCopies: flags["all-copies"] }),
      );
      if (flags.json)
        printJson(world, { sessionId: id, agent, forgotten: false, broughtBack, undoUntil: null });
      else {
        const rest = broughtBack ? "" : ": its archive is gone, but it can be archived again";
        world.stdout.write(`Session ${sanitize(id)} is no longer forgotten${rest}.\n`);
      }
      return exitCodes.done;
    }
    const preview = await history.forgetPreview(positionals, {
      everywhere: flags.everywhere,
      allCopies: flags["all-copies"],
    });
    if (flags["dry-run"]) {
      if (flags.json) printJson(world, previewJson(preview));
      else world.stdout.write(formatPreview(preview, await titleOf(history, preview.id), world));
      return exitCodes.done;
    }
    // There is nothing to ask; what a run left that was killed is removed now.
    if (!flags.yes && !preview.isForgotten) {
      const title = await titleOf(history, preview.id);
      const question = questionOf(preview, title, world.stderr.columns);
      if (!(await isConfirmed(`forget session ${preview.id}`, question, world))) return exitCodes.refused;
    }
    const done = await world.uninterrupted(() => history.forget(preview));
    // Its page has to be removed too.
    reportProblems((await keepSite(history, world)).problems, world);
    const { agent, id, source, sources, flattened, provided, undoUntil, isInDatabase } = done;
    if (flags.json) {
      printJson(world, {
        sessionId: id,
        agent,
        forgotten: true,
        broughtBack: false,
        undoUntil: isoTime(undoUntil),
        source,
        sources,
        isInDatabase,
        flattenedLogs: flattened.map(({ path, markers }) => ({ file: path, markers })),
        providedLogs: provided.map(({ path, markers }) => ({ file: path, markers })),
      });
      return exitCodes.done;
    }
    const was = preview.isForgotten ? "was already forgotten" : "is forgotten";
    world.stdout.write(`Session ${sanitize(id)} ${was}.\n`);
    for (const each of sources) {
      const path = sanitize(shortPath(each, world.home));
      world.stdout.write(style.dim(`The agent still has its log: ${path}\n`));
    }
    if (isInDatabase)
      world.stdout.write(style.dim("Its agent still has it in its database: delete it there, too.\n"));
    for (const { path, markers } of provided) {
      const file = sanitize(shortPath(path, world.home));
      const what = `${file} has ${amountOf(markers, "marker")} of it, and got a sidecar of its own\n`;
      world.stdout.write(style.dim(what));
    }
    for (const { path, markers } of flattened) {
      const file = sanitize(shortPath(path, world.home));
      const what = `${file} still has ${amountOf(markers, "marker")} whose results are forgotten\n`;
      world.stdout.write(style.yellow(what));
    }
    if (flattened.length > 0)
      world.stdout.write(style.dim("To restore the results: --undo, then sessions unflatten\n"));
    if (undoUntil !== null) {
      const words = `${shellQuote([done.selector])} --undo${done.logs.length > 1 ? " --all-copies" : ""}`;
      const until = preview.isForgotten ? "" : " within a week";
      const what =
        undoUntil < world.now()
          ? "Its archive is gone. To let it be archived again:"
          : `To restore it${until}:`;
      world.stdout.write(style.dim(`${what} sessions forget ${sanitize(words)}\n`));
    }
    return exitCodes.done;
  },
});

function previewJson({
  agent,
  id,
  source,
  sources,
  flattened,
  isIndexed,
  isForgotten,
}: ForgetPreview): object {
  return {
    dryRun: true,
    sessionId: id,
    agent,
    forgotten: isForgotten,
    broughtBack: false,
    undoUntil: null,
    source,
    sources,
    isIndexed,
    flattenedLogs: flattened.map(({ path, markers }) => ({ file: path, markers })),
    providedLogs: [],
  };
}

function formatPreview(preview: ForgetPreview, title: string | null, world: World): string {
  const { agent, id, isIndexed, isForgotten, flattened, logs, sources, selector } = preview;
  if (isForgotten) {
    const words = sanitize(shellQuote([selector]));
    return `Session ${sanitize(id)} was already forgotten.\nTo restore it: sessions forget ${words} --undo\n`;
  }
  const several = logs.length > 1 ? ` (${amountOf(logs.length, "copy", "copies")})` : "";
  const named = title === null ? "" : ` "${listTitle(title)}"`;
  const pathOf = (path: string): string => sanitize(shortPath(path, world.home));
  const lines = [
    `Session ${sanitize(id)}${named} of ${agent}${several} would be forgotten.`,
    ...(isIndexed ? ["Only the index has it: it could not be restored."] : []),
    ...sources.map((path) => `The agent's own log would stay: ${pathOf(path)}`),
    ...flattened.map(
      ({ path, markers }) =>
        `${pathOf(path)} has ${amountOf(markers, "marker")} whose results would be forgotten`,
    ),
  ];
  return lines.map((line) => `${wrapMessage(line, world.stdout.columns)}\n`).join("");
}

/** The title, so that the user sees which one it is; null if it can't be read any more. */
async function titleOf(history: History, id: string): Promise<string | null> {
  try {
    return (await history.session(id, { everywhere: true })).digest.title;
  } catch {
    return null;
  }
}

function questionOf(
  { agent, id, isIndexed, flattened, logs, sources, isInDatabase }: ForgetPreview,
  title: string | null,
  columns: number | undefined,
): string {
  const several = logs.length > 1 ? ` (${amountOf(logs.length, "copy", "copies")})` : "";
  const flat =
    flattened.length === 0
      ? ""
      : ` Results that were moved out of ${flattened.map(({ path }) => sanitize(path)).join(", ")} are removed too: run \`sessions unflatten\` on each first to keep them.`;
  const warning = isIndexed ? " Only the index has it: it can't be restored." : flat;
  const named = title === null ? "" : ` "${listTitle(title)}"`;
  const what = sources.length === 0 ? "session in its database" : "log";
  const stays = sources.length === 0 && !isInDatabase ? "" : ` The agent's own ${what} stays.`;
  const text = `Forget session ${sanitize(id)}${named} of ${agent}${several}?${stays}${warning}`;
  return columns === undefined ? text : wrap(text, { width: columns });
}
