import {
  checkDays,
  exitCodes,
  type FilePlan,
  FOREVER_DAYS,
  type RetentionStatus,
  UserError,
} from "../../index.ts";
import { isoTime } from "../../render/json/session-json.ts";
import { type Command, defineCommand, dryRunFlag } from "../command.ts";
import { openHistoryIn } from "../open-history.ts";
import { filePlanJson, formatPlans } from "../output/file-plans.ts";
import { printJson } from "../output/print-json.ts";
import { formatRetention } from "../output/retention.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

export const command: Command = defineCommand({
  description:
    "Shows what agents will delete, and when. Claude Code deletes sessions whose log was not written for 30 " +
    "days, unless `cleanupPeriodDays` in one of its settings files says otherwise; so does Gemini CLI, unless " +
    "`general.sessionRetention` does. Shows the value in effect and the file it comes from, projects with a " +
    "shorter period, the sessions that will be deleted, and whether they are archived.\n\n" +
    "`set`, `forever` and `reset` change `cleanupPeriodDays` of Claude Code in the user's settings.json, with " +
    "a copy in `backups/` first. `reset` undoes that; if it was never set from here, it removes the setting. " +
    "The archive keeps its sessions, whatever agents delete.",
  examples: [
    { line: "sessions retention", says: "what will be deleted, when, and whether it is archived" },
    { line: "sessions retention forever", says: `keep sessions for ever (${FOREVER_DAYS} days)` },
    { line: "sessions retention set 365", says: "keep them for a year" },
    { line: "sessions retention reset", says: "undo set or forever" },
  ],
  positionals: [
    {
      name: "action",
      description: "what to do; status by default",
      optional: true,
      choices: ["status", "set", "forever", "reset"],
      meant: (word) => (/^\d+$/.test(word) ? `\`sessions retention set ${word}\`` : undefined),
    },
    { name: "days", description: "with set: at least 1", optional: true },
  ],
  flags: {
    within: {
      type: "number",
      default: 30,
      min: 1,
      placeholder: "DAYS",
      description: "how far to look ahead",
    },
    settings: {
      type: "string",
      placeholder: "FILE",
      values: "file",
      description: "the value of `claude --settings`: a file, or JSON",
    },
    "dry-run": dryRunFlag,
  },
  async run({ flags, positionals }, world) {
    const [action = "status", word] = positionals;
    if (word !== undefined && action !== "set") {
      throw new UserError(`Cannot use ${JSON.stringify(word)}: only set takes a number of days`, {
        exitCode: exitCodes.wrongUsage,
        hint: "for example: `sessions retention set 365`",
      });
    }
    const days = action === "set" ? checkDays(word) : action === "forever" ? FOREVER_DAYS : undefined;
    const history = await openHistoryIn(world, { reveal: flags.reveal, allowDemo: false });
    const { mask } = history;
    const dryRun = flags["dry-run"];
    const plans: readonly FilePlan[] =
      action === "status" ? [] : await world.uninterrupted(() => history.setRetention(days, { dryRun }));
    const all = await history.retention({ withinDays: flags.within, settings: flags.settings });
    if (flags.json) {
      printJson(world, {
        agents: all.map(statusJson),
        archiving: all[0]?.archiving ?? null,
        ...(action === "status"
          ? {}
          : {
              dryRun: flags["dry-run"],
              files: mask(plans.map((plan) => filePlanJson(plan, flags["dry-run"]))),
            }),
      });
    } else {
      if (action !== "status")
        world.stdout.write(formatPlans(plans, { dryRun: flags["dry-run"], mask }, world));
      if (!flags["dry-run"] || action === "status") world.stdout.write(formatRetention(all, world));
    }
    // It was set, but another settings file overrules it.
    const isOverruled =
      days !== undefined &&
      !flags["dry-run"] &&
      all.some(({ effective, canBeSet }) => canBeSet && effective.days !== days);
    return isOverruled ? exitCodes.withProblems : exitCodes.done;
  },
});

function statusJson({ agent, folder, effective, atRisk, ...status }: RetentionStatus): object {
  return {
    agent,
    effectiveDays: effective.days,
    from: effective.from,
    managed: effective.managed,
    sweepsAt: isoTime(status.sweepsAtMs),
    atRisk: atRisk.map(({ id, deletedAfterMs, archived, title, project }) => ({
      sessionId: id,
      deletedAfter: isoTime(deletedAfterMs),
      archived,
      title,
      project,
    })),
    unprotected: atRisk.filter(({ archived }) => !archived).length,
    folder,
    layer: effective.layer,
    paused: effective.paused ?? null,
    lastSweptAt: isoTime(status.lastSweepMs ?? null),
    withinDays: status.withinMs / DAY_MS,
    sessions: status.sessions,
    notArchived: status.notArchived,
    earlierSweeps: status.earlierSweeps,
  };
}
