import { cleanLine } from "../../redact/clean-text.ts";
import type { Session } from "../../session/session.ts";
import type { SummaryForm } from "../agent-actions.ts";
import { piSectionsOf, turnPrefixSummary } from "./summary-sections.ts";

export interface FileLists {
  /** Files that were read and not changed, sorted. */
  readonly readFiles: readonly string[];
  readonly modifiedFiles: readonly string[];
}

interface PiSummaryParts {
  /** The entries to summarize; null if all of them belong to a turn that is split. */
  readonly history: Session | null;
  /** The beginning of a turn of which only the end is kept. */
  readonly turnPrefix: Session | null;
  readonly earlier: string | null;
  readonly files: FileLists;
}

/** The summary that Pi writes when it compacts, of a session of any agent. */
export const piSummaryForm: SummaryForm = {
  write: (session, earlier) =>
    piSummary({ history: session, turnPrefix: null, earlier, files: fileListsOf(session, earlier) }),
  writeBranch: (branch) => piBranchSummary(branch, fileListsOf(branch, null)),
  continuation: piContinuationText,
};

/** The summary that Pi writes into a compaction, made without a model. */
export function piSummary({ history, turnPrefix, earlier, files }: PiSummaryParts): string {
  const lists = renderFileLists(files.readFiles, files.modifiedFiles);
  const before = history === null ? historyAlone(earlier) : renderPiSections(sectionsOf(history, earlier));
  return `${before}${turnPrefix === null ? "" : `${SPLIT_TURN}${turnPrefixSummary(turnPrefix)}`}${lists}`;
}

function sectionsOf(history: Session, earlier: string | null): ReturnType<typeof piSectionsOf> {
  const newer = piSectionsOf(history);
  return earlier === null ? newer : mergePiSections(earlier, newer);
}

/**
 * The files of an earlier summary follow the new one. The lookbehind keeps a long run from being tried at each of its
 * characters.
 */
function historyAlone(earlier: string | null): string {
  return earlier === null
    ? NO_HISTORY
    : earlier.replace(/(?<!\s)\s*<(read-files|modified-files)>[\s\S]*?<\/\1>/g, "").trimEnd();
}

/** The text in which Pi hands a summary to the model. */
function piContinuationText(summary: string): string {
  return `The conversation history before this point was compacted into the following summary:\n\n<summary>\n${summary}\n</summary>`;
}

const BRANCH_PREAMBLE =
  "The user explored a different conversation branch before returning here.\nSummary of that exploration:\n\n";

/** The text that Pi attaches when the user came back from a branch. */
export function piBranchSummary(branch: Session, files: FileLists): string {
  const lists = renderFileLists(files.readFiles, files.modifiedFiles);
  return `${BRANCH_PREAMBLE}${renderPiSections(piSectionsOf(branch))}${lists}`;
}

/** The files that the tools of a session touched, and those that an earlier summary names. */
export function fileListsOf(session: Session, earlier: string | null): FileLists {
  const steps = [...session.preamble, ...session.turns.flatMap((turn) => turn.steps)];
  const files = steps.flatMap((step) => (step.kind === "tool" ? step.call.files : []));
  const paths = (isRead: boolean): readonly string[] =>
    files.filter(({ mode }) => (mode === "read") === isRead).map(({ path }) => path);
  return fileLists({ read: paths(true), modified: paths(false) }, earlier);
}

/** The files of both lists, with those that an earlier summary names; a changed file is only in the second list. */
export function fileLists(
  files: { readonly read: readonly string[]; readonly modified: readonly string[] },
  earlier: string | null,
): FileLists {
  const read = new Set([...listed(earlier, "read-files"), ...files.read]);
  const modified = new Set([...listed(earlier, "modified-files"), ...files.modified]);
  return {
    readFiles: [...read].filter((path) => !modified.has(path)).sort(),
    modifiedFiles: [...modified].sort(),
  };
}

function listed(summary: string | null, tag: string): readonly string[] {
  const list = new RegExp(`<${tag}>\\n([\\s\\S]*?)\\n</${tag}>`).exec(summary ?? "")?.[1];
  return list?.split("\n") ?? [];
}

/** The maximum number of items in a section after many rounds; the newest stay, and of goals also the first. */
const MAX_ITEMS = 40;
/** Old failures no longer block anything. */
const MAX_BLOCKED = 8;

/**
 * Brings an earlier summary up to date: all of it stays, items in progress or planned that are now done move, and new
 * items are added at the end.
 */
export function mergePiSections(earlier: string, newer: PiSections): PiSections {
  const old = parsePiSections(earlier);
  // An unknown format, written by a person or an extension, is kept unchanged.
  if (old === undefined)
    return { ...newer, critical: [`Earlier summary:\n${earlier.trim()}`, ...newer.critical] };
  const done = union(old.done, newer.done);
  const isDone = setOf(done);
  const open = (items: readonly string[]): readonly string[] =>
    items.filter((item) => !isDone.has(fold(item)));
  const inProgress = union(open(old.inProgress), newer.inProgress);
  const isInProgress = setOf(inProgress);
  const goal = union(old.goal, newer.goal);
  return {
    goal: goal.length <= MAX_ITEMS ? goal : [...goal.slice(0, 1), ...goal.slice(1 - MAX_ITEMS)],
    constraints: union(old.constraints, newer.constraints).slice(-MAX_ITEMS),
    done: done.slice(-MAX_ITEMS),
    inProgress: inProgress.slice(-MAX_ITEMS),
    blocked: union(old.blocked, newer.blocked).slice(-MAX_BLOCKED),
    decisions: union(old.decisions, newer.decisions).slice(-MAX_ITEMS),
    nextSteps: union(newer.nextSteps, open(old.nextSteps))
      .filter((item) => !isInProgress.has(fold(item)))
      .slice(0, MAX_ITEMS),
    critical: union(
      old.critical.filter((item) => !PASSING.test(item)),
      newer.critical,
    ).slice(-MAX_ITEMS),
  };
}

/** True only at the time, and repeated by every summary. */
const PASSING = /^(?:Last reply|Last failed command|Last error|Tools used):/;

function union(first: readonly string[], second: readonly string[]): readonly string[] {
  const found = new Map<string, string>();
  for (const item of [...first, ...second]) if (!found.has(fold(item))) found.set(fold(item), item);
  return [...found.values()];
}

function setOf(items: readonly string[]): ReadonlySet<string> {
  return new Set(items.map(fold));
}

function fold(item: string): string {
  return item.toLowerCase().replace(/\s+/g, " ").trim();
}

/** The parts of Pi's structured summary. Items are texts without their bullets; one may have further lines. */
export interface PiSections {
  readonly goal: readonly string[];
  readonly constraints: readonly string[];
  readonly done: readonly string[];
  readonly inProgress: readonly string[];
  readonly blocked: readonly string[];
  readonly decisions: readonly string[];
  readonly nextSteps: readonly string[];
  readonly critical: readonly string[];
}

type SectionName = keyof PiSections;

const HEADINGS: readonly (readonly [string, SectionName])[] = [
  ["## Goal", "goal"],
  ["## Constraints & Preferences", "constraints"],
  ["### Done", "done"],
  ["### In Progress", "inProgress"],
  ["### Blocked", "blocked"],
  ["## Key Decisions", "decisions"],
  ["## Next Steps", "nextSteps"],
  ["## Critical Context", "critical"],
  // The goals, results and context of a split turn go into their sections.
  ["## Original Request", "goal"],
  ["## Progress So Far", "done"],
  ["## Early Progress", "done"],
  ["## Context Needed to Continue", "critical"],
  ["## Context for Suffix", "critical"],
];
const SECTION_OF: ReadonlyMap<string, SectionName> = new Map(HEADINGS);

const NONE = "(none)";
/** Separates a summary from its part about a split turn. */
const SPLIT_TURN = "\n\n---\n\n**Turn Context (split turn):**\n\n";
const NO_HISTORY = "No prior history.";

export function renderPiSections(sections: PiSections): string {
  const bullets = (items: readonly string[], mark: string): string =>
    items.length === 0 ? `- ${NONE}` : items.map((item) => `${mark} ${indented(item)}`).join("\n");
  const [first, ...more] = sections.goal;
  const goal = [first ?? NONE, ...more.map((item) => `- ${indented(item)}`)].join("\n");
  const steps = sections.nextSteps.map((item, at) => `${at + 1}. ${indented(item)}`).join("\n");
  return [
    `## Goal\n${goal}`,
    `## Constraints & Preferences\n${bullets(sections.constraints, "-")}`,
    `## Progress\n### Done\n${bullets(sections.done, "- [x]")}`,
    `### In Progress\n${bullets(sections.inProgress, "- [ ]")}`,
    `### Blocked\n${bullets(sections.blocked, "-")}`,
    `## Key Decisions\n${bullets(sections.decisions, "-")}`,
    `## Next Steps\n${steps === "" ? `1. ${NONE}` : steps}`,
    `## Critical Context\n${bullets(sections.critical, "-")}`,
  ].join("\n\n");
}

function indented(item: string): string {
  return item.replaceAll("\n", "\n  ");
}

/** Reads a summary of this form; undefined for any other text. The lists of files are left out. */
export function parsePiSections(summary: string): PiSections | undefined {
  const found = new Map<SectionName, string[]>();
  let section: SectionName | undefined;
  for (const line of withoutFileLists(summary).split("\n")) {
    const named = SECTION_OF.get(line.trim());
    if (named !== undefined) section = named;
    else if (line.startsWith("## ")) section = undefined;
    if (named !== undefined || section === undefined || line.trim() === "## Progress") continue;
    const items = found.get(section) ?? [];
    found.set(section, items);
    takeLine(items, line);
  }
  if (found.size === 0) return undefined;
  const items = (name: SectionName): readonly string[] =>
    (found.get(name) ?? []).filter((item) => item !== "" && item !== NONE);
  return {
    goal: items("goal"),
    constraints: items("constraints"),
    done: items("done"),
    inProgress: items("inProgress"),
    blocked: items("blocked"),
    decisions: items("decisions"),
    nextSteps: items("nextSteps"),
    critical: items("critical"),
  };
}

/** A bullet at the start of a line begins an item; anything else continues the last one. */
function takeLine(items: string[], line: string): void {
  const marked = /^(?:[-*] (?:\[[ xX]\] )?|\d{1,3}[.)] )(.*)$/.exec(line);
  const isRule = /^(?:---+|\*\*Turn Context \(split turn\):\*\*|No prior history\.)$/.test(line.trim());
  if (line.trim() === "" || isRule) return;
  const last = items.at(-1);
  if (marked !== null || last === undefined) items.push((marked?.[1] ?? line).trim());
  else items[items.length - 1] = `${last}\n${line.replace(/^ {1,2}/, "").trimEnd()}`;
}

function withoutFileLists(summary: string): string {
  return summary.replace(/<(read-files|modified-files)>[\s\S]*?<\/\1>/g, "");
}

/** The files that were only read, then those that were changed, in the form in which Pi adds them to a summary. */
function renderFileLists(readFiles: readonly string[], modifiedFiles: readonly string[]): string {
  const list = (tag: string, files: readonly string[]): string =>
    files.length === 0 ? "" : `\n\n<${tag}>\n${files.map(cleanLine).join("\n")}\n</${tag}>`;
  return list("read-files", readFiles) + list("modified-files", modifiedFiles);
}
