import fs from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { archiveSessions } from "../../src/archive/archive-sessions.ts";
import { type ForgottenLogs, forgetLogs } from "../../src/forget.ts";
import type { Library } from "../../src/fs/library.ts";
import { selectSession } from "../../src/search/select-sessions.ts";
import { flattenSession } from "../../src/shrink/flatten-session.ts";
import { openSidecar } from "../../src/shrink/open-sidecar.ts";
import { retrieveBlock } from "../../src/shrink/retrieve-block.ts";
import { unflattenSession } from "../../src/shrink/unflatten-session.ts";
import { archiving } from "../support/archive/archiving.ts";
import { TOOL_SESSION } from "../support/shrink/tool-log.ts";
import { atOnce, CALLS, LOG, pathIn, putOld, twoStores } from "../support/shrink/two-stores.ts";

const FORK = "0a1b2c3d-9999-4222-8333-444455556666";
const asFork = (text: string): string =>
  text.replaceAll(`"sessionId":"${TOOL_SESSION}"`, `"sessionId":"${FORK}"`);

interface Ground {
  readonly library: Library;
  readonly original: string;
  /** The flattened log, copied into another project. */
  readonly copy: string;
  /** The flattened log, continued by its agent under another id. */
  readonly fork: string;
}

async function ground(): Promise<Ground> {
  const { stores, path } = twoStores();
  const [library] = stores;
  await flatten(library, path);
  const copy = pathIn(library, "/home/ana/copy");
  const fork = join(dirname(path), `${FORK}.jsonl`);
  putOld(copy, read(path));
  putOld(fork, asFork(read(path)));
  return { library, original: path, copy, fork };
}

const read = (path: string): string => fs.readFileSync(path, "utf8");
const flatten = (library: Library, path: string): ReturnType<typeof flattenSession> =>
  flattenSession(library, selectSession(library, [path]), {
    rule: { minBytes: 1024, copies: true },
    locking: atOnce,
    force: true,
  });
const unflatten = (library: Library, path: string): ReturnType<typeof unflattenSession> =>
  unflattenSession(library, selectSession(library, [path]), { locking: atOnce, force: true });
const forget = (library: Library, path: string): Promise<ForgottenLogs> => {
  const { agent, id, copy, files } = selectSession(library, [path]);
  return forgetLogs(library, [{ agent, id, copy, files: files.files }], { locking: atOnce });
};
const weekLater = (library: Library): Library => ({ ...library, now: () => library.now() + 8 * 86_400_000 });

describe("flattenSession()", () => {
  it("gives a copy of a flattened log a sidecar of its own, though there is nothing to move", async () => {
    const { library, original, copy } = await ground();
    const before = read(copy);
    const done = await flatten(library, copy);
    expect(done).toMatchObject({ blocks: 0, diskBytesSaved: 0 });
    expect(read(copy)).toBe(before);
    const theirs = openSidecar(library.disk, (await flatten(library, original)).sidecar ?? "");
    const own = openSidecar(library.disk, done.sidecar ?? "");
    expect(own?.path).not.toBe(theirs?.path);
    expect(own?.index).toEqual({ ...theirs?.index, path: copy });
    // Nothing of the original is left.
    await unflatten(library, original);
    fs.rmSync(library.places.raw, { recursive: true });
    expect(await unflatten(library, copy)).toMatchObject({ isExact: true, markersLeft: 0, sidecar: null });
    expect(read(copy)).toBe(LOG);
  });

  it("leaves no sidecar behind, and none half made, if the log is in use", async () => {
    const { library, copy } = await ground();
    fs.utimesSync(copy, library.now() / 1000, library.now() / 1000);
    await expect(
      flattenSession(library, selectSession(library, [copy]), {
        rule: { minBytes: 1024, copies: true },
        locking: atOnce,
      }),
    ).rejects.toMatchObject({ exitCode: 4 });
    expect(fs.readdirSync(join(library.places.flat, "claude"))).toEqual([`${TOOL_SESSION}.flat`]);
  });
});

describe("forgetLogs()", () => {
  it("gives copies and forks what they need of a log before it is forgotten", async () => {
    const { library, original, copy, fork } = await ground();
    const { provided, unprovided } = await forget(library, original);
    expect(new Set(provided.map(({ path }) => path))).toEqual(new Set([copy, fork]));
    expect(unprovided).toEqual([]);
    const later = weekLater(library);
    await archiveSessions(later, archiving);
    expect(fs.existsSync(join(library.places.raw, "claude", TOOL_SESSION))).toBe(false);
    const [call] = CALLS;
    const [block] = retrieveBlock(later, selectSession(later, [FORK]), call?.id ?? "").blocks;
    expect([...(block?.text?.() ?? [])].join("")).toBe(call?.result);
    expect(await unflatten(later, copy)).toMatchObject({ isExact: true, markersLeft: 0, sidecar: null });
    expect(await unflatten(later, fork)).toMatchObject({ isExact: true, markersLeft: 0, sidecar: null });
    expect([read(copy), read(fork)]).toEqual([LOG, asFork(LOG)]);
  });

  it("does so also from the archive, if the sidecar is lost", async () => {
    const { library, original, copy, fork } = await ground();
    fs.rmSync(library.places.flat, { recursive: true });
    await forget(library, original);
    const later = weekLater(library);
    await archiveSessions(later, archiving);
    for (const path of [copy, fork]) await unflatten(later, path);
    expect([read(copy), read(fork)]).toEqual([LOG, asFork(LOG)]);
  });

  it("names logs with markers for which nothing is found, and those that are forgotten are no concern", async () => {
    const { library, original, copy, fork } = await ground();
    await forget(library, fork);
    fs.rmSync(library.places.flat, { recursive: true });
    fs.rmSync(library.places.raw, { recursive: true });
    const { provided, unprovided } = await forget(library, original);
    expect(provided).toEqual([]);
    expect(unprovided).toEqual([{ path: copy, markers: expect.any(Number) }]);
  });
});
