import { type PiEntry, type PiLoaded, type PiSystem, type PiTool, piContext, piPath } from "./context.ts";

export interface PiCompactionRule {
  readonly keepRecentTokens: number;
  /** Set if only a context beyond this is to be compacted. */
  readonly onlyBeyondTokens: number | null;
}

/** Which entries of a Pi log a compaction would summarize, and which it would keep. */
export interface PiPreparation {
  /** Entries whose text is summarized, and those of a turn of which only the end is kept. */
  readonly history: readonly PiLoaded[];
  readonly turnPrefix: readonly PiLoaded[];
  readonly firstKept: PiEntry;
  /** The parent of the new entry. */
  readonly leaf: PiEntry;
  readonly tokensBefore: number;
  readonly earlier: string | null;
  readonly readFiles: readonly string[];
  readonly modifiedFiles: readonly string[];
  readonly system: CurrentSystem | undefined;
}

/** What is to be done, or why there is nothing to do, as a sentence without its full stop. */
export function preparePiCompaction(
  entries: readonly PiEntry[],
  rule: PiCompactionRule,
): PiPreparation | { readonly nothing: string } {
  const path = piPath(entries);
  const leaf = path.at(-1);
  if (leaf === undefined) return { nothing: "it has no entries" };
  if (leaf.says.kind === "compaction") return { nothing: "nothing was said since its last compaction" };
  const context = piContext(path);
  const tokensBefore = piContextTokens(context, path);
  const { onlyBeyondTokens, keepRecentTokens } = rule;
  if (onlyBeyondTokens !== null && tokensBefore <= onlyBeyondTokens)
    return { nothing: `its context of ${tokensBefore} tokens is not beyond ${onlyBeyondTokens}` };
  const previous = context[0]?.message;
  const earlier = previous?.kind === "compaction" ? previous : undefined;
  const from = earlier === undefined ? 0 : 1;
  const { keptFrom, splitTurnFrom } = findPiCut(context, from, keepRecentTokens);
  const firstKept = context[keptFrom]?.entry;
  const history = context.slice(from, splitTurnFrom ?? keptFrom).filter(isSummarised);
  const turnPrefix =
    splitTurnFrom === null ? [] : context.slice(splitTurnFrom, keptFrom).filter(isSummarised);
  if (firstKept === undefined || history.length + turnPrefix.length === 0)
    return { nothing: `there is nothing before the last ${keepRecentTokens} tokens, which are kept` };
  return {
    history,
    turnPrefix,
    firstKept,
    leaf,
    tokensBefore,
    earlier: earlier?.summary ?? null,
    ...fileLists([
      ...(earlier === undefined ? [] : [earlier.files]),
      ...filesOf([...history, ...turnPrefix]),
    ]),
    system: currentSystem(context),
  };
}

/** System messages are the prompt, not the conversation: the compaction repeats them unchanged. */
function isSummarised({ message }: PiLoaded): boolean {
  return message?.kind === "message" && message.role !== "system";
}

function filesOf(loaded: readonly PiLoaded[]): readonly FileUse[] {
  return loaded.flatMap(({ message }) => (message === undefined ? [] : [message.files]));
}

type FileUse = NonNullable<PiLoaded["message"]>["files"];

function fileLists(uses: readonly FileUse[]): Pick<PiPreparation, "readFiles" | "modifiedFiles"> {
  const modified = new Set(uses.flatMap((use) => use.modified));
  const read = new Set(uses.flatMap((use) => use.read));
  return {
    readFiles: [...read].filter((path) => !modified.has(path)).sort(),
    modifiedFiles: [...modified].sort(),
  };
}

interface PiCut {
  /** Index of the first entry that is kept. */
  readonly keptFrom: number;
  /** Index of the request whose turn is cut; null if the cut is between turns. */
  readonly splitTurnFrom: number | null;
}

const CUT_ROLES: ReadonlySet<string> = new Set([
  "user",
  "assistant",
  "bashExecution",
  "custom",
  "branchSummary",
  "compactionSummary",
]);
const TURN_ROLES: ReadonlySet<string> = new Set([...CUT_ROLES].filter((role) => role !== "assistant"));

/**
 * Where Pi cuts a context: from its end back until so many tokens are kept, at the nearest later message that is not
 * a tool result, because a result must follow its call.
 */
function findPiCut(context: readonly PiLoaded[], from: number, keepRecentTokens: number): PiCut {
  const cuts = context.flatMap((loaded, at) => (at >= from && hasRole(loaded, CUT_ROLES) ? [at] : []));
  const [first] = cuts;
  if (first === undefined) return { keptFrom: from, splitTurnFrom: null };
  const full = whereFull(context, from, keepRecentTokens);
  let keptFrom = full === -1 ? first : (cuts.find((at) => at >= full) ?? cuts.at(-1) ?? first);
  if (full !== -1 && isLeftAttempt(context, keptFrom)) keptFrom++;
  // An entry without text stays with the one after it.
  while (keptFrom > from && isSilent(context[keptFrom - 1])) keptFrom--;
  if (hasRole(context[keptFrom], TURN_ROLES)) return { keptFrom, splitTurnFrom: null };
  const turn = context.findLastIndex(
    (loaded, at) => at >= from && at <= keptFrom && hasRole(loaded, TURN_ROLES),
  );
  return { keptFrom, splitTurnFrom: turn === -1 ? null : turn };
}

/** The entry at which so many tokens are reached, counted from the end. */
function whereFull(context: readonly PiLoaded[], from: number, tokens: number): number {
  let sum = 0;
  for (let at = context.length - 1; at >= from; at--) {
    const own = context[at]?.message?.tokens ?? 0;
    sum += own;
    if (own > 0 && sum >= tokens) return at;
  }
  return -1;
}

function hasRole(loaded: PiLoaded | undefined, roles: ReadonlySet<string>): boolean {
  return loaded?.message?.kind === "message" && roles.has(loaded.message.role);
}

function isSilent(loaded: PiLoaded | undefined): boolean {
  return loaded !== undefined && loaded.entry.says.kind !== "compaction" && loaded.message === undefined;
}

/**
 * Whether the cut is followed only by an attempt of the model that Pi has removed from the context, and its
 * bookkeeping: then the last loaded entry may be summarized too.
 */
function isLeftAttempt(context: readonly PiLoaded[], cut: number): boolean {
  const behind = context.slice(cut + 1);
  const isOmitted = ({ entry, message }: PiLoaded): boolean =>
    entry.says.kind === "message" && message === undefined;
  const omitted = new Set(behind.filter(isOmitted).map(({ entry }) => entry.id));
  const rewritesOthers = behind.some(
    ({ entry: { says } }) => says.kind === "edit" && says.replacement !== null && !omitted.has(says.target),
  );
  return (
    !rewritesOthers &&
    behind.some(
      (loaded) =>
        isOmitted(loaded) && loaded.entry.says.kind === "message" && loaded.entry.says.role === "assistant",
    ) &&
    behind.every(
      (loaded) =>
        loaded.entry.says.kind !== "compaction" &&
        (loaded.entry.says.kind !== "message" || isOmitted(loaded)),
    )
  );
}

/**
 * The number of tokens of a context, by Pi's rule: the last number that the model reported, and an estimate of
 * everything after it. A report from before the last edit or compaction is about another context; then all is
 * estimated.
 */
function piContextTokens(context: readonly PiLoaded[], path: readonly PiEntry[]): number {
  const reported = context.findLastIndex(
    ({ message }) => message?.kind === "message" && message.usedTokens !== null,
  );
  const at = context[reported];
  const report = at?.message?.kind === "message" ? at.message.usedTokens : null;
  if (at !== undefined && report !== null && isStillTrue(at.entry, path)) {
    return context.slice(reported + 1).reduce((sum, { message }) => sum + (message?.tokens ?? 0), report);
  }
  const system = currentSystem(context);
  return context.reduce(
    (sum, { message }) => sum + (message === undefined || isSystem(message) ? 0 : message.tokens),
    system === undefined ? 0 : systemTokens(system),
  );
}

function isStillTrue(entry: PiEntry, path: readonly PiEntry[]): boolean {
  const changed = path.findLastIndex(({ says }) => says.kind === "edit" || says.kind === "compaction");
  return path.findIndex(({ id }) => id === entry.id) > changed;
}

function isSystem(message: NonNullable<PiLoaded["message"]>): boolean {
  return message.kind === "message" && message.role === "system";
}

/** The combined effect of all system messages of a context. */
export interface CurrentSystem {
  readonly content: string;
  readonly sections: Readonly<Record<string, string>>;
  readonly tools: readonly PiTool[];
}

/** undefined if there are none. */
function currentSystem(context: readonly PiLoaded[]): CurrentSystem | undefined {
  const systems = context.flatMap(({ message }): readonly PiSystem[] =>
    message?.system === undefined ? [] : [message.system],
  );
  if (systems.length === 0) return undefined;
  const sections = new Map<string, string>();
  const tools = new Map<string, PiTool>();
  for (const system of systems) {
    for (const [name, text] of Object.entries(system.sections)) {
      if (text === null) sections.delete(name);
      else sections.set(name, text);
    }
    for (const name of system.toolsRemoved) tools.delete(name);
    for (const tool of system.toolsAdded) tools.set(tool.name, tool);
  }
  return {
    content: systems
      .map(({ text }) => text)
      .filter((text) => text !== "")
      .join("\n\n"),
    sections: Object.fromEntries(sections),
    tools: [...tools.values()],
  };
}

/** The size by which Pi counts a system message. */
function systemTokens({ content, sections, tools }: CurrentSystem): number {
  const inSections = Object.values(sections).reduce((sum, text) => sum + text.length, 0);
  const inTools = tools.length === 0 ? 0 : JSON.stringify(tools.map(({ declaration }) => declaration)).length;
  return Math.ceil((content.length + inSections + inTools) / 4);
}
