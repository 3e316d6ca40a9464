import { dirname, join } from "node:path";
import { makeFolders } from "../../fs/folders.ts";
import type { Library } from "../../fs/library.ts";
import { replaceFile } from "../../fs/replace-file.ts";
import type { HookEvent, Hooks } from "../agent-actions.ts";
import { noticeAnswer, readHookEvent, sessionStartAnswer, testEvent } from "../hook-event.ts";
import { codex } from "./codex.ts";
import { codexFolder } from "./files.ts";

/** Codex has the events of Claude Code, under the same names. It allows SessionEnd three seconds. */
const events: readonly HookEvent[] = [
  { name: "PreCompact", subcommand: "pre-compact", timeoutSeconds: 30 },
  { name: "PostCompact", subcommand: "post-compact", timeoutSeconds: 10 },
  { name: "SessionStart", subcommand: "session-start", timeoutSeconds: 10 },
  { name: "SessionEnd", subcommand: "session-end", timeoutSeconds: 3 },
];

export const codexHooks: Hooks = {
  events,
  form: "shell",
  trust: "Codex asks at its next start whether you trust the new hooks, and runs them only then.",
  isHere: ({ disk, environment }) => disk.stat(codexFolder(environment))?.kind === "folder",
  // Hooks contain paths of this machine, and every file of Codex in a project is shared.
  settingsFiles: ({ environment }, scope) =>
    scope === "user" ? [join(codexFolder(environment), "hooks.json")] : [],
  allSettingsFiles({ environment }) {
    const folders = new Set([codexFolder(environment), join(environment.folder, ".codex")]);
    return [...folders].map((folder) => join(folder, "hooks.json"));
  },
  read: (text, subcommand) => readHookEvent(text, subcommand, { agent: codex.name, events }),
  contextAnswer: sessionStartAnswer,
  noticeAnswer,
  makeTest(library, folder) {
    const log = makeSession(library, folder);
    return {
      sessionId: TEST_SESSION_ID,
      variables: { CODEX_HOME: join(folder, "codex") },
      input: (event) => testEvent(event, TEST_SESSION_ID, log, folder),
    };
  },
};

const TEST_SESSION_ID = "00000000-0000-7000-8000-00000000d0c0";

/** A header and a request, as Codex writes them. */
function makeSession({ disk, now }: Pick<Library, "disk" | "now">, folder: string): string {
  const timestamp = new Date(now()).toISOString();
  const name = `rollout-${timestamp.slice(0, 19).replaceAll(":", "-")}-${TEST_SESSION_ID}.jsonl`;
  const log = join(folder, "codex", "sessions", ...timestamp.slice(0, 10).split("-"), name);
  const message = {
    type: "message",
    role: "user",
    content: [{ type: "input_text", text: "Is anybody there?" }],
  };
  const lines = [
    { timestamp, type: "session_meta", payload: { id: TEST_SESSION_ID, timestamp, cwd: folder } },
    { timestamp, type: "response_item", payload: message },
  ];
  makeFolders(disk, dirname(log));
  replaceFile(disk, log, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return log;
}
