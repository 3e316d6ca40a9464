import fs from "node:fs";
import { dirname, join } from "node:path";
import type { Disk } from "../../../src/fs/disk.ts";
import type { Library } from "../../../src/fs/library.ts";
import { findPlaces } from "../../../src/fs/places.ts";
import type { Locking } from "../../../src/fs/store.ts";
import { isReadable, openSidecar } from "../../../src/shrink/open-sidecar.ts";
import { locking, quickLibrary } from "../archive/archiving.ts";
import { claudeFolder } from "../archive/log-home.ts";
import { callOf, putToolLog, TOOL_SESSION, type ToolCallMade, toolLog } from "./tool-log.ts";

/** Nobody appends here: there is nothing to wait for. */
export const atOnce: Locking = { ...locking, wait: async () => {} };

/** Results of three sizes, each with a copy; one with a list in its copy that leaves no marker. */
export const CALLS: readonly ToolCallMade[] = [
  callOf("Read", 5_000, { file_path: "/home/ana/shop/a.ts" }, "toolu_a"),
  callOf("Bash", 1_500, { command: "make" }, "toolu_b"),
  {
    ...callOf("Edit", 200, { file_path: "/home/ana/shop/b.ts" }, "toolu_c"),
    copy: { patch: Array.from({ length: 600 }, (_, n) => n), empty: [] },
  },
  {
    id: "toolu_d",
    tool: "shot",
    input: {},
    result: [
      { type: "text", text: "d".repeat(2_000) },
      { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo".repeat(200) } },
    ],
  },
];

export const LOG: string = toolLog(CALLS);

/** Every value that is ever moved out of `LOG`, as its bytes are. */
export const VALUES: readonly string[] = CALLS.flatMap(({ result, copy }) => [
  JSON.stringify(result),
  ...(copy === undefined ? [] : [JSON.stringify(copy)]),
]).flatMap((text) => partsOf(JSON.parse(text)));

function partsOf(value: unknown): readonly string[] {
  if (typeof value === "string") return value.length > 300 ? [JSON.stringify(value)] : [];
  if (Array.isArray(value) && value.every((item) => typeof item === "number"))
    return value.length > 0 ? [JSON.stringify(value)] : [];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(partsOf) : [];
}

export interface TwoStores {
  readonly stores: readonly [Library, Library];
  readonly path: string;
}

/** Two stores of one person, who has one log. */
export function twoStores(): TwoStores {
  const made = quickLibrary();
  // Who holds a log open is looked for elsewhere; here it would be most of the time.
  const { disk } = made;
  const stat: Disk["stat"] = (path) => (path.startsWith("/proc/") ? undefined : disk.stat(path));
  const first: Library = { ...made, disk: { ...disk, stat } };
  const { home, folder } = first.environment;
  const variables = { ...first.environment.variables, SESSIONS_HOME: join(dirname(home), "other-store") };
  const second: Library = {
    ...first,
    environment: { ...first.environment, variables },
    places: findPlaces({ home, variables, folder }),
  };
  return { stores: [first, second], path: putToolLog(home, LOG) };
}

/** Where the session's log would be as one of another project. */
export function pathIn(library: Library, project: string): string {
  return join(
    library.environment.home,
    ".claude",
    "projects",
    claudeFolder(project),
    `${TOOL_SESSION}.jsonl`,
  );
}

/** Writes a log, hours ago. */
export function putOld(path: string, text: string): void {
  fs.mkdirSync(dirname(path), { recursive: true });
  fs.writeFileSync(path, text);
  const at = Date.UTC(2026, 10, 16, 8) / 1000;
  fs.utimesSync(path, at, at);
}

export function sidecarOf({ places }: Library): string {
  return join(places.flat, "claude", `${TOOL_SESSION}.flat`);
}

/** Those of all logs with the id. */
function sidecarsOf({ places }: Library): readonly string[] {
  const folder = join(places.flat, "claude");
  if (!fs.existsSync(folder)) return [];
  const names = fs.readdirSync(folder).filter((name) => name.endsWith(".flat"));
  return names.map((name) => join(folder, name));
}

export function logsOf({ environment }: Library): readonly string[] {
  const projects = join(environment.home, ".claude", "projects");
  return fs
    .readdirSync(projects)
    .map((name) => join(projects, name, `${TOOL_SESSION}.jsonl`))
    .filter((path) => fs.existsSync(path));
}

/** What neither a log has nor a sidecar of any store. The archive does not count. */
export function lostValues({ stores }: Pick<TwoStores, "stores">): readonly string[] {
  const logs = logsOf(stores[0]).map((path) => fs.readFileSync(path, "utf8"));
  const blocks = stores.flatMap((library) => {
    return sidecarsOf(library).flatMap((path) => {
      const sidecar = openSidecar(library.disk, path);
      if (sidecar === undefined) return [];
      return sidecar.index.blocks
        .filter((block) => isReadable(sidecar, block))
        .map((block) => sidecar.read(block).toString("utf8"));
    });
  });
  return VALUES.filter((value) => ![...logs, ...blocks].some((text) => text.includes(value)));
}
