import { Buffer } from "node:buffer";
import type { Problem } from "../../errors.ts";
import { lineDiff } from "../../render/line-diff.ts";
import type { FilePlan, UnusableFile } from "../../settings/change-files.ts";
import { isSameFile } from "../../settings/change-files.ts";
import type { World } from "../world.ts";
import { amountOf } from "./amounts.ts";
import { sanitize } from "./sanitize.ts";
import { shortPath } from "./session-table.ts";
import { createStyle, type Style } from "./style.ts";

export type FileAction = "created" | "changed" | "removed" | "unchanged" | "left";

/** `left`: the file is not ours, or was changed since. */
export function actionOf(plan: FilePlan): FileAction {
  if (plan.foreign) return "left";
  if (isSameFile(plan)) return "unchanged";
  if (plan.before === undefined) return "created";
  return plan.after === undefined ? "removed" : "changed";
}

export function filePlanJson(plan: FilePlan, withDiff: boolean): object {
  const { path, agent, scope } = plan.target;
  const instead = elsewhereOf(plan);
  return {
    path,
    agent,
    scope,
    action: actionOf(plan),
    ...(instead === undefined ? {} : { elsewhere: instead }),
    ...(withDiff ? { diff: diffOf(plan) } : {}),
  };
}

/** The file of another agent that this one reads instead. */
function elsewhereOf({ changes }: FilePlan): string | undefined {
  return changes.flatMap((change) => (change.kind === "elsewhere" ? [change.path] : []))[0];
}

/** Files that can't be changed, as problems. */
export function problemsOf(unusable: readonly UnusableFile[]): readonly Problem[] {
  return unusable.map(({ target: { path }, error: { message } }) => {
    const whole = message.replace(/^Cannot [^:]*: /, "").replace(/; nothing was changed$/, "");
    const what = whole.startsWith(`${path}:`) ? whole.slice(path.length + 1).trimStart() : whole;
    const [place, line, column] = /^(\d+):(\d+): /.exec(what) ?? [];
    return place === undefined
      ? { path, line: 0, what }
      : { path, line: Number(line), what: `${what.slice(place.length)} (column ${column})` };
  });
}

function diffOf({ before, after }: FilePlan): string {
  return lineDiff(textOf(before), textOf(after));
}

function textOf(bytes: Uint8Array | undefined): string {
  return bytes === undefined ? "" : Buffer.from(bytes).toString("utf8");
}

export interface FormatPlansOptions {
  /** Shows the exact changes instead of a summary. */
  readonly dryRun: boolean;
  readonly mask: <T>(value: T) => T;
}

/** The changes that the user is asked about, one line each. */
export function formatIntents(plans: readonly FilePlan[], world: World): string {
  const style = createStyle(world.stderr.hasColor);
  const lines = plans.flatMap((plan) => {
    const action = actionOf(plan);
    if (action === "unchanged" || action === "left") return [];
    const what =
      action === "removed"
        ? `will be removed${insteadOf(plan, world)}`
        : `${action === "created" ? "will be created" : "will be changed"}: ${contentOf(plan)}`;
    return [`${style.bold(sanitize(shortPath(plan.target.path, world.home)))}  ${what}\n`];
  });
  return `${lines.join("")}${style.dim("--dry-run shows the exact changes.")}\n`;
}

function contentOf({ target, changes, after, original }: FilePlan): string {
  if (target.kind === "content") return target.what ?? "a file";
  if (changes.length === 0) return after === original ? "restored as it was before" : "our entries removed";
  const hooks = changes.filter(({ kind }) => kind === "hook").length;
  const values = changes.flatMap((change) =>
    change.kind === "value" ? [`${change.key} ${change.value}`] : [],
  );
  const servers = changes.some(({ kind }) => kind === "server") ? ["the MCP server"] : [];
  return [...(hooks === 0 ? [] : [amountOf(hooks, "hook")]), ...servers, ...values].join(", ");
}

/** The changes to agents' files that were, or would be, made. */
export function formatPlans(plans: readonly FilePlan[], options: FormatPlansOptions, world: World): string {
  const style = createStyle(world.stdout.hasColor);
  return plans.map((plan) => formatPlan(plan, options, world, style)).join("");
}

const doneWords: Readonly<Record<FileAction, string>> = {
  created: "written",
  changed: "changed",
  removed: "removed",
  unchanged: "up to date",
  left: "not changed: it is not ours, or was edited since",
};

function formatPlan(
  plan: FilePlan,
  { dryRun, mask }: FormatPlansOptions,
  world: World,
  style: Style,
): string {
  const action = actionOf(plan);
  const path = sanitize(shortPath(plan.target.path, world.home));
  const instead = insteadOf(plan, world);
  if (action === "unchanged" && instead !== "") return `${style.dim("not needed")}  ${path}${instead}\n`;
  if (!dryRun || action === "unchanged" || action === "left") {
    const paint = action === "left" ? style.yellow : action === "unchanged" ? style.dim : style.green;
    return `${paint(doneWords[action])}  ${path}${instead}\n`;
  }
  const full = sanitize(plan.target.path);
  const heads = [
    `--- ${action === "created" ? "/dev/null" : full}`,
    `+++ ${action === "removed" ? "/dev/null" : full}`,
  ];
  const lines = mask(diffOf(plan)).split("\n").slice(0, -1);
  return [...heads.map(style.bold), ...lines.map((line) => paintLine(sanitize(line), style))]
    .map((line) => `${line}\n`)
    .join("");
}

function insteadOf(plan: FilePlan, world: World): string {
  const path = elsewhereOf(plan);
  return path === undefined ? "" : `: the agent reads ${sanitize(shortPath(path, world.home))}`;
}

function paintLine(line: string, style: Style): string {
  if (line.startsWith("+")) return style.green(line);
  if (line.startsWith("-")) return style.red(line);
  return line.startsWith("@@") ? style.cyan(line) : line;
}
