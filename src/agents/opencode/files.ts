import type { Buffer } from "node:buffer";
import { basename, isAbsolute, join } from "node:path";
import { namesIn } from "../../fs/folders.ts";
import type { Environment, Library } from "../../fs/library.ts";
import { findPlaces } from "../../fs/places.ts";
import { isObject, tryParse } from "../../jsonl/json-line.ts";
import { objectAt, stringAt } from "../../jsonl/values.ts";
import type {
  FoundFile,
  LogRoot,
  Peek,
  Placement,
  PlacementCache,
  SessionFile,
  SessionFiles,
  SideFile,
} from "../agent.ts";
import { sessionIdAt, sessionIdOfPath } from "../session-id.ts";
import { groupFiles, headObjects, isDamaged, sniffHeads } from "../sniff-format.ts";
import { readWorkList } from "../work-list.ts";

/** The folder of the logs that are made from opencode's databases. */
export function mirrorFolder({
  home,
  variables,
  folder,
}: Pick<Environment, "home" | "variables" | "folder">): string {
  return join(findPlaces({ home, variables, folder }).cache, "opencode");
}

function dataFolder({ home, variables }: Environment): string {
  return join(variables.XDG_DATA_HOME || join(home, ".local", "share"), "opencode");
}

/** The second and the third are not read as logs: they only show that there are sessions. */
export function opencodeRoots(environment: Environment): readonly LogRoot[] {
  const data = dataFolder(environment);
  return [
    { folder: mirrorFolder(environment), depth: 3, extensions: [".jsonl", ".json"] },
    { folder: data, depth: 1, extensions: [".db"] },
  ];
}

/** A place with sessions: a database, or the folder of small files that earlier versions used. */
export interface OpencodePlace {
  readonly kind: "database" | "storage";
  readonly path: string;
}

const DATABASE = /^opencode(?:-[\w.-]+)?\.db$/;

/** The databases of this machine's opencode (each of its channels has one), then its older storage. */
export function opencodePlaces({ disk, environment, config }: Library): readonly OpencodePlace[] {
  const data = dataFolder(environment);
  const named = environment.variables.OPENCODE_DB ?? "";
  const databases = new Set<string>();
  if (named !== "" && named !== ":memory:") databases.add(isAbsolute(named) ? named : join(data, named));
  const folders = [data, ...(config.sources.opencode ?? [])];
  for (const folder of folders)
    for (const name of namesIn(disk, folder)) if (DATABASE.test(name)) databases.add(join(folder, name));
  const isFile = (path: string): boolean => disk.stat(path)?.kind === "file";
  const storages = folders.map((folder) => join(folder, "storage"));
  return [
    ...[...databases].filter(isFile).map((path): OpencodePlace => ({ kind: "database", path })),
    ...storages
      .filter((path) => disk.stat(join(path, "session"))?.kind === "folder")
      .map((path): OpencodePlace => ({ kind: "storage", path })),
  ];
}

/** `<place>/<session>.jsonl`, and `<place>/<session>/<sub-agent>.jsonl`. */
const SUBAGENT = /\/opencode\/[^/]+-[0-9a-f]{8}\/([^/]+)\/[^/]+\.(jsonl|json)$/;

export function groupOpencodeFiles(
  files: readonly FoundFile[],
  peek: Peek,
  memory?: PlacementCache,
): readonly SessionFiles[] {
  return groupFiles("opencode", files, (file) => place(file, peek), memory);
}

function place(file: FoundFile, peek: Peek): Placement | undefined {
  if (file.size === 0) return undefined;
  const path = file.path.replaceAll("\\", "/");
  const [, session, extension] = SUBAGENT.exec(path) ?? [];
  if (session !== undefined)
    return { id: session, role: extension === "jsonl" ? "subagent" : "subagent-meta" };
  if (path.endsWith(".json"))
    return STATE_START.test(peek(file.path).toString("utf8", 0, 40))
      ? { id: nameOfLog(path), role: "title" }
      : undefined;
  if (!path.endsWith(".jsonl")) return undefined;
  for (const head of sniffHeads(file.path, peek))
    if (ownsOpencode(head)) return { id: idInHead(head) ?? sessionIdOfPath(path), role: "main" };
  return isDamaged(peek(file.path)) ? { id: sessionIdOfPath(path), role: "main" } : undefined;
}

const STATE_START = /^\{"(?:session|info)":\{/;

export function ownsOpencode(head: Buffer): boolean {
  return headObjects(head).some((object) => object.opencode === 1 && isObject(object.session));
}

function idInHead(head: Buffer): string | undefined {
  return sessionIdAt(objectAt(headObjects(head)[0], "session"), "id");
}

/** The project's folder that the first line of a log names. */
export function directoryInHead(head: Buffer): string | null {
  return stringAt(objectAt(headObjects(head)[0], "session"), "directory") ?? null;
}

/** The id of the session whose log this is. */
export function nameOfLog(path: string): string {
  return basename(path.replaceAll("\\", "/")).replace(/\.jsonl?$/, "");
}

/** Titles that opencode generates contain only the time when the session began. */
const NO_TITLE = /^(?:New|Child) session - \d{4}-/;
const SUBAGENT_TITLE = /^(.*?) \(@([\w-]+) subagent\)$/;

export function readOpencodeState(file: SessionFile, text: string): SideFile | undefined {
  const value = tryParse(text);
  if (!isObject(value)) return undefined;
  const given = stringAt(objectAt(value, "session") ?? objectAt(value, "info"), "title")?.trim() ?? "";
  const title = NO_TITLE.test(given) ? "" : given;
  if (file.role === "subagent-meta") {
    const [, description, type] = SUBAGENT_TITLE.exec(title) ?? [];
    const id = nameOfLog(file.path);
    return {
      subagent: { id, type: type ?? null, description: description ?? (title || null), callId: null },
    };
  }
  const work = readWorkList({ todos: value.todo });
  return { ...(title === "" ? {} : { title }), ...(work === undefined ? {} : { work }) };
}
