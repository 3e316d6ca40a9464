import type { Library } from "../fs/library.ts";
import { type Machine, type OpenStore, openStore } from "../history/open-store.ts";
import { startGuardAfterwards } from "./guard-afterwards.ts";
import { indexProgress } from "./output/progress.ts";
import { createStyle } from "./output/style.ts";
import type { World } from "./world.ts";

export interface StoreChoice {
  /** Answer from the example history if there is no other; for reading commands. */
  readonly allowDemo: boolean;
}

/** Opens only logs, store and index, without masking: for a search, whose index is masked. */
export function openStoreIn(world: World, choice: StoreChoice): Promise<OpenStore> {
  return opened(world, choice, openStore);
}

/** Opens a machine. Prints a note if it is the example history; otherwise the guard is started afterwards. */
export async function opened<T extends { readonly library: Library }>(
  world: World,
  { allowDemo }: StoreChoice,
  open: (machine: Machine) => Promise<T>,
): Promise<T> {
  let hasChanged = false;
  const onChange = (): void => {
    hasChanged = true;
  };
  const found = await open({ ...machineOf(world), onChange, ...(allowDemo && { demoHome: world.demoHome }) });
  noteUnknownSettings(world, found.library);
  if (!found.library.demo) startGuardAfterwards(world, found.library, () => hasChanged);
  else {
    const { dim } = createStyle(world.stderr.hasColor);
    world.stderr.write(`${dim("No agent logs found: this is an example history.")}\n`);
  }
  return found;
}

/** A typing error in the settings would otherwise have no effect, silently. */
function noteUnknownSettings(world: World, { unknownSettings = [], places }: Library): void {
  if (unknownSettings.length === 0) return;
  const what = unknownSettings.length === 1 ? "an unknown key" : "unknown keys";
  world.noteOnce?.(`${places.config} has ${what}: ${unknownSettings.join(", ")}`);
}

/** The machine of a world, with progress and warnings on its stderr. */
export function machineOf(world: World): Machine {
  const {
    home,
    variables: env,
    now,
    folder,
    offsetMinutesAt,
    disk,
    processes,
    isRunning,
    startWorker,
    threads,
  } = world;
  return {
    home,
    env,
    now,
    folder,
    offsetMinutesAt,
    disk,
    processes,
    isRunning,
    onUnwritable: ({ message }) => {
      const { yellow } = createStyle(world.stderr.hasColor);
      world.stderr.write(`${yellow("sessions:")} ${message}; reading everything again\n`);
    },
    ...(startWorker === undefined ? {} : { workers: { start: startWorker, count: threads } }),
    ...(world.stderr.isTerminal ? { meter: () => indexProgress(world) } : {}),
  };
}
