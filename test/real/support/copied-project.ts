import type { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import process from "node:process";
import { storeUpkeep } from "../../../src/forget.ts";
import { createLibrary, type Library } from "../../../src/fs/library.ts";
import { nodeProcesses } from "../../../src/fs/processes.ts";
import type { Locking } from "../../../src/fs/store.ts";
import { sessionPointers } from "../../../src/search/session-pointers.ts";
import { sessionKey } from "../../../src/session/session.ts";
import { quickDisk } from "../../crash/quick-disk.ts";
import { realHome } from "./real-home.ts";

/** A folder of logs in the real home, and where its copy goes, both relative to the home. */
export interface Project {
  readonly name: string;
  readonly from: string;
  readonly to: string;
}

/** Every project of the real logs. Agents without folders by project have one of all logs. */
export function realProjects(): readonly Project[] {
  const home = realHome();
  const below = (root: string, copyOf: (name: string) => string): readonly Project[] =>
    readdirSync(join(home, root)).map((name) => ({
      name,
      from: join(root, name),
      to: join(root, copyOf(name)),
    }));
  return [
    ...below(join(".claude", "projects"), (name) => `${name}-copy`),
    ...below(join(".pi", "agent", "sessions"), (name) => name.replace(/--$/, "-copy--")),
    { name: "claw-code", from: join(".claw", "sessions"), to: join(".claw", "sessions", "0123456789abcdef") },
    {
      name: "Codex",
      from: join(".codex", "sessions", "2026", "01", "01"),
      to: join(".codex", "sessions", "2026", "01", "02"),
    },
  ];
}

/** A log and its copy. */
export interface Pair {
  readonly a: string;
  readonly b: string;
}

export interface CopiedProject {
  readonly library: Library;
  /** The folder of the copies. */
  readonly copies: string;
  readonly pairs: readonly Pair[];
  /** The content and mode of every file below both folders. */
  states(): ReadonlyMap<string, string>;
}

/** Nobody appends here: there is nothing to wait for. */
export const locking: Locking = { processes: nodeProcesses, ...storeUpkeep, wait: async () => {} };

/** Makes a home that has one project twice, with the same ids, and nothing else. */
export async function copyProject(home: string, { from, to }: Project): Promise<CopiedProject> {
  const [first, copies] = [join(home, from), join(home, to)];
  const real = join(realHome(), from);
  const isBelow = copies.startsWith(first);
  for (const path of sampleOf(filesBelow(real))) {
    const name = relative(real, path);
    put(path, join(first, name));
    // A copy of claw-code's logs is below its original, where each has a name of its own.
    put(path, join(copies, isBelow ? basename(path) : name));
  }
  const library = await openHome(home);
  const byId = new Map<string, string[]>();
  for (const pointer of sessionPointers(library).all()) {
    const [lead] = pointer.files.files;
    if (lead?.role !== "main") continue;
    const key = sessionKey(pointer);
    byId.set(key, [...(byId.get(key) ?? []), lead.path]);
  }
  const isCopy = (path: string): boolean => path.startsWith(`${copies}/`);
  const pairs = [...byId.values()].flatMap((paths) => {
    const copied = paths.filter(isCopy).sort();
    return paths
      .filter((path) => !isCopy(path))
      .sort()
      .map((a, at): Pair => ({ a, b: copied[at] ?? "" }));
  });
  return { library, copies, pairs, states: () => statesBelow(first, copies) };
}

/** Files that are longer are tried by turns. */
export const LONG_BYTES = 500_000;

/** All short files, and of the long ones every fourth: all of them take minutes more, and are for SESSIONS_TEST_ALL=1. */
function sampleOf(paths: readonly string[]): readonly string[] {
  const isLong = (path: string): boolean => statSync(path).size > LONG_BYTES;
  const every = process.env.SESSIONS_TEST_ALL === "1" ? 1 : 4;
  return [
    ...paths.filter((path) => !isLong(path)),
    ...paths.filter(isLong).filter((_, at) => at % every === 0),
  ];
}

/** Makes a home that has one project, with a copy beside each log. */
export async function copyBeside(
  home: string,
  { from }: Project,
  copyOf: (id: string, path: string) => { readonly path: string; readonly bytes: Buffer },
): Promise<CopiedProject> {
  const folder = join(home, from);
  const real = join(realHome(), from);
  for (const path of filesBelow(real)) put(path, join(folder, relative(real, path)));
  const library = await openHome(home);
  const pairs = sessionPointers(library)
    .all()
    .flatMap(
      ({
        id,
        files: {
          files: [lead],
        },
      }): readonly Pair[] => {
        if (lead?.role !== "main") return [];
        const { path: b, bytes } = copyOf(id, lead.path);
        writeFileSync(b, bytes);
        return [{ a: lead.path, b }];
      },
    );
  return { library, copies: folder, pairs, states: () => statesBelow(folder) };
}

function put(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to, { preserveTimestamps: true });
}

/** Opens a home in which everything was written an hour ago. */
function openHome(home: string): Promise<Library> {
  return createLibrary({
    // Who holds a log open is tested elsewhere, and takes most of the time.
    disk: { ...quickDisk, stat: (path) => (path.startsWith("/proc/") ? undefined : quickDisk.stat(path)) },
    home,
    variables: {},
    folder: home,
    now: () => Date.now() + 3_600_000,
    isRunning: () => false,
  });
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}

function statesBelow(...folders: readonly string[]): ReadonlyMap<string, string> {
  return new Map(folders.flatMap(filesBelow).map((path) => [path, stateOf(path)]));
}

/** The content and mode of a file. */
export function stateOf(path: string): string {
  return `${createHash("sha256").update(readFileSync(path)).digest("hex")} ${statSync(path).mode.toString(8)}`;
}
