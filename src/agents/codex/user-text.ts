/** The kinds of text in the user's place. */
export type CodexUserText =
  | { readonly kind: "request"; readonly text: string }
  | { readonly kind: "bash"; readonly command: string; readonly result: string }
  /** Inserted by Codex: the same in every session, and never indexed. */
  | { readonly kind: "injected" }
  /** An unknown element: most likely also inserted by Codex, but not certainly. */
  | { readonly kind: "element"; readonly text: string };

const INJECTED = [
  "<environment_context>",
  "<user_instructions>",
  "<system_instructions>",
  "<permissions instructions>",
  "<collaboration_mode>",
  "<turn_aborted>",
  "<model_switch>",
  "<personality_spec>",
  "<skills_instructions>",
  "<apps_instructions>",
  "<plugins_instructions>",
  "<subagent_notification>",
  "<INSTRUCTIONS>",
  "<skill>",
  "# AGENTS.md instructions",
];

const ELEMENT = /^<([a-z]+(?:_[a-z]+)+)>[\s\S]*<\/([a-z_]+)>$/;
const SHELL =
  /^<user_shell_command>\s*<command>\n?([\s\S]*?)\n?<\/command>\s*(?:<result>\n?([\s\S]*?)\n?<\/result>)?/;

/** Editors add their view of the project before the user's own text. */
const EDITOR_START = "# Context from my IDE setup:";
const EDITOR_REQUEST = "## My request for Codex:";

/** An item with the user's role, which may be anything. */
export function readItemText(raw: string): CodexUserText {
  const text = raw.trim();
  const shell = text.startsWith("<user_shell_command>") ? SHELL.exec(text) : null;
  if (shell !== null) return { kind: "bash", command: shell[1] ?? "", result: shell[2] ?? "" };
  if (INJECTED.some((start) => text.startsWith(start))) return { kind: "injected" };
  const element = ELEMENT.exec(text);
  if (element !== null && element[1] === element[2]) return { kind: "element", text };
  return { kind: "request", text: requestText(raw) };
}

/** The user's own text, without the part that the editor added before it. */
export function requestText(raw: string): string {
  if (!raw.startsWith(EDITOR_START)) return raw;
  const at = raw.lastIndexOf(EDITOR_REQUEST);
  return at === -1 ? raw : raw.slice(at + EDITOR_REQUEST.length).trim();
}
