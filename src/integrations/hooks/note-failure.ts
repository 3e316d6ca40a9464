import type { LibraryFrom } from "../../fs/library.ts";
import { findPlaces } from "../../fs/places.ts";
import { noteHookFailure } from "../../retention/hook-log.ts";

/** Logs a failure in a hook or in the background, even if the store can't be opened. */
export function noteFailure(machine: LibraryFrom, event: string, what: string): void {
  const { disk, now } = machine;
  noteHookFailure({ disk, places: findPlaces(machine) }, { at: now(), event, what });
}
