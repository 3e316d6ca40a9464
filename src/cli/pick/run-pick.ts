import { type CatalogRow, exitCodes, type Filters, type OpenHistory } from "../../index.ts";
import { resumeLine, runResume } from "../commands/resume.ts";
import { openHistoryIn } from "../open-history.ts";
import { printJson } from "../output/print-json.ts";
import { sanitize } from "../output/sanitize.ts";
import type { World } from "../world.ts";
import { createPickerPage, pickedSelector } from "./pick-effects.ts";
import { notATerminal, pickSession } from "./pick-session.ts";

export interface PickCall {
  readonly query: string;
  readonly filter: Filters;
  readonly everywhere: boolean;
  /** Prints the chosen session as JSON, or its id, instead of resuming it. */
  readonly json: boolean;
  readonly ids: boolean;
  readonly reveal: boolean;
}

/** Shows the picker, then resumes or prints the chosen session. Returns the exit code. */
export async function runPick(call: PickCall, world: World): Promise<number> {
  if (!world.stdin.isTerminal || !world.stderr.isTerminal) throw notATerminal();
  const { stderr } = world;
  let isTaken = false;
  // Progress and warnings would be printed into the picker.
  const quiet = { ...stderr, write: (text: string) => (isTaken ? undefined : stderr.write(text)) };
  const silent = { ...world, stderr: quiet };
  const history = await openHistoryIn(silent, { reveal: call.reveal, allowDemo: true });
  const isPrinted = call.json || call.ids;
  // The page stays while the resumed agent runs.
  const page = createPickerPage(silent);
  try {
    const picked = await pickSession(history, world, {
      ...call,
      page,
      onEnter: isPrinted ? "print" : "resume",
      onTaken: () => {
        isTaken = true;
      },
    });
    isTaken = false;
    if (picked.kind === "interrupted") return exitCodes.interrupted;
    if (picked.kind === "left") return isPrinted ? exitCodes.nothingFound : exitCodes.done;
    return await (isPrinted ? print(picked.row, history, call, world) : resume(picked.row, history, world));
  } finally {
    await page.close();
  }
}

async function resume(row: CatalogRow, history: OpenHistory, world: World): Promise<number> {
  const { resume: command } = await history.resume(pickedSelector(row));
  world.stderr.write(`${sanitize(resumeLine(history.mask(command)))}\n`);
  return runResume(command, world);
}

async function print(
  row: CatalogRow,
  history: OpenHistory,
  { json }: PickCall,
  world: World,
): Promise<number> {
  const { digest, state, source, archive } = row;
  if (!json) {
    world.stdout.write(`${sanitize(digest.id)}\n`);
    return exitCodes.done;
  }
  const { resume: command } = await history.resume(pickedSelector(row));
  printJson(world, {
    demo: history.demo,
    sessionId: digest.id,
    agent: digest.agent,
    title: digest.title,
    project: digest.project,
    state,
    source,
    archive,
    resume: resumeLine(history.mask(command)),
  });
  return exitCodes.done;
}
