import fs from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { storeUpkeep } from "../../src/forget.ts";
import type { Disk } from "../../src/fs/disk.ts";
import type { Library } from "../../src/fs/library.ts";
import { isTempName } from "../../src/fs/replace-file.ts";
import { installFiles, type Package, uninstallFiles } from "../../src/integrations/install-files.ts";
import { retentionFiles } from "../../src/retention/set-retention.ts";
import type { RequestedFile } from "../../src/settings/change-files.ts";
import { changeFiles } from "../../src/settings/change-files.ts";
import { everyDeath } from "../crash/every-death.ts";
import { quickDisk } from "../crash/quick-disk.ts";
import { temporaryFolder } from "../crash/temporary-folder.ts";
import { village } from "../crash/village.ts";
import { libraryIn } from "../support/library-in.ts";

const people = village();
const ORIGINAL = '\ufeff{\r\n\t"a": 1, // one\r\n\t"hooks": {}\r\n}\r\n';

const pack: Package = {
  program: { command: "/usr/bin/node", args: ["/opt/sessions/dist/sessions.cjs"] },
  variables: {},
  skill: { name: "session-finder", text: "---\nname: session-finder\n---\n" },
};

function libraryOn(disk: Disk, folder: string): Library {
  return libraryIn(join(folder, "home"), { disk, store: join(folder, "store") });
}

const settings = (folder: string): string => join(folder, "home", ".claude", "settings.json");

function makeHome(folder: string): void {
  fs.mkdirSync(dirname(settings(folder)), { recursive: true });
  fs.writeFileSync(settings(folder), ORIGINAL);
}

/** A process does something and is gone, if it was killed or not. */
async function change(
  disk: Disk,
  folder: string,
  files: (library: Library) => readonly RequestedFile[],
): Promise<void> {
  const processes = people.born();
  try {
    const library = libraryOn(disk, folder);
    await changeFiles(library, files(library), { processes, ...storeUpkeep, wait: async () => {} });
  } finally {
    people.kill(processes);
  }
}

const install = (library: Library): readonly RequestedFile[] =>
  installFiles(library, pack, { agents: ["claude"], scope: "user", retention: true });
const uninstall = (library: Library): readonly RequestedFile[] =>
  uninstallFiles(library, pack, { agents: ["claude", "pi", "codex"], scope: undefined });
const setDays =
  (days: number | undefined) =>
  (library: Library): readonly RequestedFile[] =>
    retentionFiles(library, days);

/** All files and folders of the home, but for temp files that a killed process left: those are swept later. */
function homeOf(folder: string): ReadonlyMap<string, string> {
  const home = join(folder, "home");
  const names = fs.readdirSync(home, { recursive: true, encoding: "utf8" }).toSorted();
  return new Map(
    names
      .filter((name) => !isTempName(name.split("/").at(-1) ?? ""))
      .map((name) => {
        const path = join(home, name);
        return [name, fs.statSync(path).isDirectory() ? "a folder" : fs.readFileSync(path, "utf8")];
      }),
  );
}

/** What runs that nobody kills make of the home. */
async function completed(
  ...actions: readonly ((library: Library) => readonly RequestedFile[])[]
): Promise<ReadonlyMap<string, string>> {
  const folder = temporaryFolder();
  makeHome(folder);
  for (const action of actions) await change(quickDisk, folder, action);
  return homeOf(folder);
}

describe("the settings editor, killed at every step", () => {
  it("leaves the old or the new file; it can be completed, and taken back to the same bytes", async () => {
    const before = await completed();
    const after = await completed(setDays(99999));
    expect(after).not.toEqual(before);
    const deaths = await everyDeath(
      (_, folder) => makeHome(folder),
      (disk, folder) => change(disk, folder, setDays(99999)),
      async (disk, folder, __, { diedAt, aftermath }) => {
        const left = homeOf(folder);
        expect(diedAt === undefined ? [after] : [before, after]).toContainEqual(left);
        // Whoever goes on may want the one or the other.
        if (aftermath !== "kill") {
          await change(disk, folder, setDays(99999));
          expect(homeOf(folder)).toEqual(after);
        }
        if (left.get(".claude/settings.json") === ORIGINAL && aftermath === "kill") return;
        await change(disk, folder, setDays(undefined));
        expect(homeOf(folder)).toEqual(before);
      },
    );
    expect(deaths.count).toBeGreaterThan(30);
  });
});

describe("install and uninstall, killed at every step", () => {
  it("install: every file is old or new; the next install completes it, and uninstall takes all of it back", async () => {
    const before = await completed();
    const after = await completed(install);
    const deaths = await everyDeath(
      (_, folder) => makeHome(folder),
      (disk, folder) => change(disk, folder, install),
      async (disk, folder, __, { diedAt, aftermath }) => {
        for (const [name, text] of homeOf(folder))
          expect([before.get(name), after.get(name)]).toContain(text);
        if (diedAt === undefined) expect(homeOf(folder)).toEqual(after);
        if (aftermath === "names-lost") {
          await change(disk, folder, install);
          expect(homeOf(folder)).toEqual(after);
        }
        await change(disk, folder, uninstall);
        expect(homeOf(folder)).toEqual(before);
      },
      { aftermaths: ["kill", "names-lost"] },
    );
    expect(deaths.count).toBeGreaterThan(80);
  });

  it("uninstall: every file is old or new; the next uninstall completes it, or an install brings all of it back", async () => {
    const before = await completed();
    const after = await completed(install);
    const deaths = await everyDeath(
      async (disk, folder) => {
        makeHome(folder);
        await change(disk, folder, install);
      },
      (disk, folder) => change(disk, folder, uninstall),
      async (disk, folder, __, { diedAt, aftermath }) => {
        for (const [name, text] of homeOf(folder))
          expect([before.get(name), after.get(name)]).toContain(text);
        if (diedAt === undefined) expect(homeOf(folder)).toEqual(before);
        const [action, result] = aftermath === "kill" ? [uninstall, before] : [install, after];
        await change(disk, folder, action);
        expect(homeOf(folder)).toEqual(result);
      },
      { aftermaths: ["kill", "names-lost"] },
    );
    expect(deaths.count).toBeGreaterThan(50);
  });
});
