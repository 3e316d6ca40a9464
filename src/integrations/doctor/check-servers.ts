import { delimiter, isAbsolute, join } from "node:path";
import { agentsThat } from "../../agents/actions.ts";
import type { Agent } from "../../agents/agent.ts";
import type { Library } from "../../fs/library.ts";
import { statIfAllowed } from "../../fs/sources.ts";
import { parseSettings, settingAt } from "../../settings/parse-settings.ts";
import { type FileRecord, readReceipt } from "../../settings/receipt.ts";
import { readTextFile } from "../../settings/settings-file.ts";
import { findTomlError, tableAt } from "../../settings/toml-tables.ts";
import { type Package, SERVER_NAME } from "../install-files.ts";
import { type Check, note, ok, problem } from "./check.ts";

/** Checks our MCP server in the lists of agents. If it was never installed, nothing is reported. */
export function checkServers(library: Library, { program }: Pick<Package, "program">): readonly Check[] {
  const own = [program.command, ...program.args, "mcp"];
  const records = readReceipt(library.disk, library.places);
  return agentsThat("servers").flatMap(({ agent, how }) =>
    (["user", "project"] as const).flatMap((scope) =>
      how.lists(library, scope).flatMap(({ path, at }) => {
        const isInstalled = records.some((record) => hasServer(record, path, at));
        return checkServer(library, { agent, path, at: [...at, SERVER_NAME], isInstalled, own });
      }),
    ),
  );
}

function hasServer({ path, now }: FileRecord, file: string, at: readonly string[]): boolean {
  return (
    path === file &&
    now.changes.some((change) => change.kind === "server" && change.at.join("\0") === at.join("\0"))
  );
}

interface ListedServer {
  readonly agent: Agent;
  readonly path: string;
  readonly at: readonly string[];
  /** Whether it was installed, according to the receipt. */
  readonly isInstalled: boolean;
  /** How this program is started as a server. */
  readonly own: readonly string[];
}

function checkServer(
  library: Library,
  { agent: { name: agent, displayName: name }, path, at, isInstalled, own }: ListedServer,
): readonly Check[] {
  const fix = `sessions install --agent ${agent}`;
  const read = readServer(library, path, at);
  if (read.kind === "broken")
    return isInstalled ? [problem("server", `${name}: ${path}: ${read.what}`, "correct that file")] : [];
  const { words } = read;
  if (words === undefined || (!isInstalled && words.at(-1) !== "mcp"))
    return isInstalled
      ? [problem("server", `${name}: it is no longer in the list of servers`, fix, [path])]
      : [];
  const gone = words.find((word) => isAbsolute(word) && library.disk.stat(word) === undefined);
  if (gone !== undefined)
    return [problem("server", `${name}: installed, but ${gone} does not exist`, fix, [path])];
  if (words.join("\0") !== own.join("\0"))
    return [note("server", `${name}: installed, and starts another program than this one`, fix, [path])];
  return [ok("server", `${name}: installed`, [path])];
}

type ReadServer =
  /** The program and its arguments; undefined if our server is not in the list. */
  | { readonly kind: "read"; readonly words: readonly string[] | undefined }
  | { readonly kind: "broken"; readonly what: string };

function readServer({ disk }: Library, path: string, at: readonly string[]): ReadServer {
  const file = readTextFile(disk, path);
  if (file.kind === "absent") return { kind: "read", words: undefined };
  if (file.kind === "unreadable") return { kind: "broken", what: file.what };
  if (path.endsWith(".toml")) {
    const error = findTomlError(file.text);
    return error === undefined ? { kind: "read", words: wordsOf(tableAt(file.text, at)) } : error;
  }
  const parsed = parseSettings(file.text);
  return parsed.kind === "broken" ? parsed : { kind: "read", words: wordsOf(settingAt(parsed, at)) };
}

function wordsOf(server: unknown): readonly string[] | undefined {
  if (typeof server !== "object" || server === null) return undefined;
  const { command, args }: { readonly command?: unknown; readonly args?: unknown } = server;
  const words: readonly unknown[] = [command, args].flatMap((part) => (Array.isArray(part) ? part : [part]));
  return words.filter((word) => typeof word === "string");
}

/** Checks whether agents can run this program by its name. */
export function checkPath({ disk, environment }: Library): readonly Check[] {
  const folders = (environment.variables.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  const names = ["sessions", "sessions.cmd"];
  const isThere = folders.some((folder) =>
    names.some((name) => statIfAllowed(disk, join(folder, name))?.kind === "file"),
  );
  if (isThere) return [];
  const what =
    "`sessions` is not on the PATH: the skill and the recall packet tell agents to run it by that name";
  return [note("program", what, "npm install --global agent-sessions, or a link in a folder of the PATH")];
}
