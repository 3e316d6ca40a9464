import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { archiveSessions } from "../../../src/archive/archive-sessions.ts";
import type { Library } from "../../../src/fs/library.ts";
import type { ObjectStore } from "../../../src/remote/object-store.ts";
import type { Remote } from "../../../src/remote/remotes.ts";
import { createOrJoin, openAccess, ownIdentity } from "../../../src/remote/repository-key.ts";
import { openPlace, type SyncAnswer, type SyncOptions, syncWith } from "../../../src/remote/sync.ts";
import { archiving, locking, plainWriter, quickLibrary } from "../archive/archiving.ts";

const demo = fileURLToPath(new URL("../../../fixtures/demo", import.meta.url));

export interface TestMachine {
  readonly library: Library;
  readonly home: string;
  readonly name: string;
}

/** A folder that is removed after the test. */
export function testFolder(): string {
  const root = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "sessions-sync-")));
  onTestFinished(() => fs.rmSync(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }));
  return root;
}

/** A machine with a home of its own. `agents`: folders of the example history that it has. */
export function makeMachine(
  name: string,
  home: string,
  agents: readonly string[] = [".claude", ".pi", ".claw", ".codex"],
  options: { readonly nowMs?: number; readonly paths?: Readonly<Record<string, string>> } = {},
): TestMachine {
  fs.mkdirSync(home, { recursive: true });
  for (const agent of agents) {
    const from = join(demo, agent);
    if (fs.existsSync(from))
      fs.cpSync(from, join(home, agent), { recursive: true, preserveTimestamps: true });
  }
  const config = { machine: name, paths: options.paths ?? {} };
  const library = quickLibrary({
    home,
    variables: { SESSIONS_HOME: join(home, ".sessions") },
    config,
    ...(options.nowMs === undefined ? {} : { nowMs: options.nowMs }),
  });
  return { library, home, name };
}

export function folderRemote(folder: string): Remote {
  return { name: "nas", kind: "folder", url: folder };
}

/** Creates the repository with the first machine and admits the others. */
export async function shareRepository(
  remote: Remote,
  [first, ...others]: readonly [TestMachine, ...TestMachine[]],
  storeOf: (machine: TestMachine) => ObjectStore = ({ library }) => openPlace(library, remote),
): Promise<void> {
  const identity = await ownIdentity(first.library);
  await createOrJoin(storeOf(first), identity);
  const access = await openAccess(storeOf(first), remote, identity);
  for (const { library } of others) await access.admit((await ownIdentity(library)).recipient);
}

export async function archiveAll({ library }: TestMachine): Promise<void> {
  await archiveSessions(library, archiving);
}

export const quietly: SyncOptions = {
  locking,
  markdown: plainWriter,
  dryRun: false,
  check: false,
  onProgress: () => {},
  pause: async () => {},
};

export function sync(
  { library }: TestMachine,
  remote: Remote,
  options: Partial<SyncOptions> = {},
  store: ObjectStore = openPlace(library, remote),
): Promise<SyncAnswer> {
  return syncWith(library, remote, { ...quietly, ...options }, store);
}

/** All files below a folder, by their path in it. */
export function filesOf(
  folder: string,
  isWanted: (name: string) => boolean = () => true,
): ReadonlyMap<string, string> {
  if (!fs.existsSync(folder)) return new Map();
  const names = fs.readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(isWanted).sort();
  const files = names.filter((name) => fs.statSync(join(folder, name)).isFile());
  return new Map(files.map((name) => [name, fs.readFileSync(join(folder, name), "base64")]));
}
