import { cleanLine } from "../../redact/clean-text.ts";

/** The parts of Pi's structured summary. Items are texts without their marks; one may have further lines. */
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
  // Of a turn that was split: what was asked, done and needed goes where it belongs.
  ["## Original Request", "goal"],
  ["## Progress So Far", "done"],
  ["## Early Progress", "done"],
  ["## Context Needed to Continue", "critical"],
  ["## Context for Suffix", "critical"],
];
const SECTION_OF: ReadonlyMap<string, SectionName> = new Map(HEADINGS);

const NONE = "(none)";
/** Between a summary and what it says of a turn that was split. */
export const SPLIT_TURN = "\n\n---\n\n**Turn Context (split turn):**\n\n";
export const NO_HISTORY = "No prior history.";

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

/** Reads a summary of this shape; undefined where a text has another one. The lists of files are left out. */
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

/** A mark at the beginning of the line begins an item; anything else goes on with the last one. */
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

/** Files that were read only, then those that were changed, as Pi puts them behind a summary. */
export function renderFileLists(readFiles: readonly string[], modifiedFiles: readonly string[]): string {
  const list = (tag: string, files: readonly string[]): string =>
    files.length === 0 ? "" : `\n\n<${tag}>\n${files.map(cleanLine).join("\n")}\n</${tag}>`;
  return list("read-files", readFiles) + list("modified-files", modifiedFiles);
}
