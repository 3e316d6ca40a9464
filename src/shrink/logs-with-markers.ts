import type { SessionFiles } from "../agents/agent.ts";
import { findStandIns } from "../agents/stand-ins.ts";
import { errorCode } from "../fs/disk-error.ts";
import type { Library } from "../fs/library.ts";
import { rawLines } from "../jsonl/lines.ts";
import type { Sidecar } from "./open-sidecar.ts";
import { createLineMatcher } from "./plan-unflatten.ts";

/** A log that has markers in the place of results. */
export interface LogWithMarkers {
  readonly path: string;
  readonly markers: number;
}

/** Finds the logs of a session, copies included, that have markers. A log that can't be read is left out. */
export function logsWithMarkers(
  library: Pick<Library, "disk">,
  files: SessionFiles,
): readonly LogWithMarkers[] {
  return logsOf(files).flatMap((path) => {
    const markers = readOr(0, () => {
      let count = 0;
      for (const { bytes } of rawLines(library.disk.readChunks(path)))
        count += findStandIns(files.agent, bytes).length;
      return count;
    });
    return markers === 0 ? [] : [{ path, markers }];
  });
}

/** Finds other copies of a log that have a line, or a marker, which the sidecar has blocks for. */
export function copiesInNeed(
  library: Pick<Library, "disk">,
  files: SessionFiles,
  path: string,
  sidecar: Sidecar,
): readonly string[] {
  const calls = new Set(sidecar.index.blocks.map(({ toolUseId }) => toolUseId));
  const isInNeed = (copy: string): boolean => {
    const matcher = createLineMatcher(sidecar);
    for (const line of rawLines(library.disk.readChunks(copy))) {
      if (matcher.match(line) !== undefined) return true;
      if (findStandIns(files.agent, line.bytes).some(({ marker }) => calls.has(marker.toolUseId)))
        return true;
    }
    return false;
  };
  // One that can't be read may need it.
  return logsOf(files).filter((copy) => copy !== path && readOr(true, () => isInNeed(copy)));
}

function logsOf({ files }: SessionFiles): readonly string[] {
  return files.filter(({ role }) => role === "main").map(({ path }) => path);
}

function readOr<T>(otherwise: T, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return otherwise;
  }
}
