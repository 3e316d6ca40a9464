import { isObject, type JsonObject, readJsonText } from "../jsonl/json-line.ts";
import { arrayAt, jsonText, stringAt } from "../jsonl/values.ts";
import type { FileTouch, ToolCallPart, WorkUpdate } from "../session/entry.ts";
import type { TextBudget } from "../session/text-budget.ts";
import { readWorkList } from "./work-list.ts";

type ToolKind = "read" | "write" | "shell" | "work" | "patch" | "question";

/**
 * The kind of a tool, by its name without case and punctuation: agents and their relatives spell one tool in many
 * ways (`read_file`, `ReadFile`, `mcp__files__read_file`).
 */
const NAMES: { readonly [kind in ToolKind]: readonly string[] } = {
  read: ["read", "readfile", "view", "viewfile", "viewimage", "openfile", "notebookread"],
  write: [
    "write",
    "writefile",
    "createfile",
    "create",
    "edit",
    "editfile",
    "multiedit",
    "replace",
    "notebookedit",
    "strreplace",
    "strreplacebasededittool",
    "deletefile",
  ],
  shell: [
    "bash",
    "shell",
    "shellcommand",
    "shellexec",
    "exec",
    "execcommand",
    "containerexec",
    "localshell",
    "powershell",
    "runcommand",
    "runshellcommand",
    "runterminal",
    "runterminalcmd",
    "terminal",
  ],
  work: ["todo", "todos", "todoread", "todowrite", "writetodos", "updatetodo", "updatetodos", "updateplan"],
  patch: ["applypatch"],
  question: ["askuserquestion", "requestuserinput", "askuser", "askquestion", "question", "questionnaire"],
};

const KINDS: ReadonlyMap<string, ToolKind> = new Map(
  (["read", "write", "shell", "work", "patch", "question"] as const).flatMap((kind) =>
    NAMES[kind].map((name) => [name, kind] as const),
  ),
);

const PATH_KEYS = ["path", "file_path", "filePath", "notebook_path", "target_file", "file"];

/** A command that failed is an error, even if its agent counts only calls that could not be made. */
export function hasFailed(isError: boolean, exitCode: number | null): boolean {
  return isError || (exitCode !== null && exitCode !== 0);
}

export function isShellTool(name: string): boolean {
  return kindOf(name) === "shell";
}

/** A call whose input is an object. */
export function readToolCall(id: string, name: string, input: unknown, budget: TextBudget): ToolCallPart {
  if (typeof input === "string") return readTextCall(id, name, input, budget);
  const text = input === undefined || input === null ? "{}" : jsonText(input);
  return describe(id, name, isObject(input) ? input : undefined, text, budget);
}

/**
 * A call whose input is a text: nearly always JSON, sometimes with an empty object glued before it (early claw-code),
 * or a patch.
 */
function readTextCall(id: string, name: string, text: string, budget: TextBudget): ToolCallPart {
  const { objects } = readJsonText(text.trim(), true);
  const input = objects.findLast((object) => Object.keys(object).length > 0);
  return describe(id, name, input, text, budget);
}

function describe(
  id: string,
  name: string,
  input: JsonObject | undefined,
  text: string,
  budget: TextBudget,
): ToolCallPart {
  const kind = kindOf(name);
  const command = kind === "shell" ? readShellCommand(input) : undefined;
  const work = kind === "work" ? readWork(input) : undefined;
  const kept = budget.input(text);
  return {
    kind: "call",
    id,
    name,
    input: kept,
    inputChars: text.length,
    moreWords: budget.moreWords(text, kept),
    files: readFiles(kind, input, command ?? text),
    ...(command === undefined ? {} : { command: budget.words(command) }),
    ...(work === undefined ? {} : { work }),
    ...(kind === "work" ? { isWork: true } : {}),
    ...(kind === "question" ? { questions: readQuestions(input) } : {}),
  };
}

function kindOf(name: string): ToolKind | undefined {
  const own = name.slice(name.lastIndexOf("__") + 1);
  return KINDS.get(own.toLowerCase().replace(/[^a-z]/g, ""));
}

function readFiles(
  kind: ToolKind | undefined,
  input: JsonObject | undefined,
  text: string,
): readonly FileTouch[] {
  if (kind === "read" || kind === "write") {
    const path = PATH_KEYS.map((key) => stringAt(input, key)).find(
      (found) => found !== undefined && found !== "",
    );
    return path === undefined ? [] : [{ path, mode: kind }];
  }
  if (kind === "shell") return readPatchFiles(text);
  if (kind !== "patch") return [];
  // The patch is the input itself, or a field of it with its line ends escaped.
  return readPatchFiles(stringAt(input, "input") ?? stringAt(input, "patch") ?? text);
}

function readWork(input: JsonObject | undefined): WorkUpdate | undefined {
  const items = readWorkList(input);
  return items === undefined ? undefined : { kind: "list", items };
}

const PATCH_START = "*** Begin Patch";
const FILE_LINE = /^\*\*\* (?:Update File|Add File|Delete File|Move to): (.+)$/gm;

/** The files that a patch in the apply_patch form changes, anywhere in a text. */
function readPatchFiles(text: string): readonly FileTouch[] {
  const start = text.indexOf(PATCH_START);
  if (start === -1) return [];
  const paths = new Set<string>();
  for (const [, path = ""] of text.slice(start).matchAll(FILE_LINE)) {
    if (path.trim() !== "") paths.add(path.trim());
  }
  return [...paths].map((path) => ({ path, mode: "write" }));
}

const SHELL = /(?:^|[\\/])(?:ba|z|da|k|fi)?sh(?:\.exe)?$/;
const POWERSHELL = /(?:^|[\\/])(?:pwsh|powershell)(?:\.exe)?$/i;
const SCRIPT_FLAG = /^-[a-z]*c$/;

/** The command that a shell tool runs, as a person would type it. */
function readShellCommand(input: JsonObject | undefined): string | undefined {
  const command = input?.command ?? input?.cmd ?? input?.script;
  if (typeof command === "string") return command === "" ? undefined : command;
  return Array.isArray(command) ? joinWords(command) : undefined;
}

/** `["bash", "-lc", script]` is its script; other lists are joined with spaces. */
export function joinWords(words: readonly unknown[]): string | undefined {
  const texts = words.filter((word) => typeof word === "string");
  const [program = "", flag = "", script] = texts;
  if (script !== undefined && texts.length === 3) {
    if (SHELL.test(program) && SCRIPT_FLAG.test(flag)) return script;
    if (POWERSHELL.test(program) && /^-command$/i.test(flag)) return script;
  }
  const line = texts.map((word) => (/^[\w@%+=:,./~-]+$/.test(word) ? word : quoted(word))).join(" ");
  return line === "" ? undefined : line;
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** The questions in the input of a tool that asks the user: a list of them, or a single one. */
export function readQuestions(input: JsonObject | undefined): readonly string[] {
  const list = arrayAt(input, "questions") ?? [input];
  return list.flatMap((value) => {
    const question = isObject(value) ? (stringAt(value, "question") ?? stringAt(value, "prompt")) : undefined;
    return question === undefined || question.trim() === "" ? [] : [question];
  });
}
