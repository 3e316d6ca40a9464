import { dirname, join } from "node:path";
import { makeFolders } from "../../fs/folders.ts";
import type { Library } from "../../fs/library.ts";
import { replaceFile } from "../../fs/replace-file.ts";
import type { HookEvent, Hooks } from "../agent-actions.ts";
import { noticeAnswer, readHookEvent, sessionStartAnswer, testEvent } from "../hook-event.ts";
import { claude } from "./claude.ts";
import { encodeProjectPath } from "./files.ts";
import { ownFolders } from "./retention.ts";

/** The events that are installed. The time limits are far above what is needed, for disks that hang. */
export const claudeHookEvents: readonly HookEvent[] = [
  { name: "PreCompact", subcommand: "pre-compact", timeoutSeconds: 30 },
  { name: "PostCompact", subcommand: "post-compact", timeoutSeconds: 10 },
  // No matcher: the agent sweeps old sessions after a start of any kind.
  { name: "SessionStart", subcommand: "session-start", timeoutSeconds: 10 },
  // All hooks of this event share 1.5 seconds unless one asks for more.
  { name: "SessionEnd", subcommand: "session-end", timeoutSeconds: 5 },
];

export const claudeHooks: Hooks = {
  events: claudeHookEvents,
  form: "exec",
  offKey: "disableAllHooks",
  isHere: (library) => ownFolders(library).some((folder) => library.disk.stat(folder)?.kind === "folder"),
  // Hooks contain paths of this machine, so they do not belong in a project's settings.json, which is shared;
  // settings.local.json is personal.
  settingsFiles: (library, scope) =>
    scope === "user"
      ? ownFolders(library).map((folder) => join(folder, "settings.json"))
      : [join(library.environment.folder, ".claude", "settings.local.json")],
  allSettingsFiles(library) {
    const project = join(library.environment.folder, ".claude");
    const folders = [...new Set([...ownFolders(library), project])];
    return folders.flatMap((folder) => [join(folder, "settings.json"), join(folder, "settings.local.json")]);
  },
  read: (text, subcommand) =>
    readHookEvent(text, subcommand, { agent: claude.name, events: claudeHookEvents }),
  contextAnswer: sessionStartAnswer,
  noticeAnswer,
  makeTest(library, folder) {
    const log = makeSession(library, folder);
    return {
      sessionId: TEST_SESSION_ID,
      variables: { CLAUDE_CONFIG_DIR: join(folder, "claude") },
      input: (event) => testEvent(event, TEST_SESSION_ID, log, folder),
    };
  },
};

const TEST_SESSION_ID = "00000000-0000-4000-8000-00000000d0c0";

/** Two lines, as Claude Code writes them. */
function makeSession({ disk, now }: Pick<Library, "disk" | "now">, folder: string): string {
  const log = join(folder, "claude", "projects", encodeProjectPath(folder), `${TEST_SESSION_ID}.jsonl`);
  const timestamp = new Date(now()).toISOString();
  const common = {
    sessionId: TEST_SESSION_ID,
    cwd: folder,
    timestamp,
    version: "0.0.0",
    isSidechain: false,
    userType: "external",
  };
  const lines = [
    {
      ...common,
      type: "user",
      uuid: "1",
      parentUuid: null,
      message: { role: "user", content: "Is anybody there?" },
    },
    {
      ...common,
      type: "assistant",
      uuid: "2",
      parentUuid: "1",
      message: { role: "assistant", content: [{ type: "text", text: "Yes." }] },
    },
  ];
  makeFolders(disk, dirname(log));
  replaceFile(disk, log, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return log;
}
