import { agentsThat } from "../../agents/actions.ts";
import { exitCodes } from "../../index.ts";
import {
  changeEachFile,
  type FilePlan,
  findUnusable,
  installableAgents,
  nameOfChange,
  packageOf,
  planFiles,
  uninstallFiles,
} from "../../integrations/install-files.ts";
import { type Command, defineCommand, dryRunFlag } from "../command.ts";
import { isConfirmed } from "../confirm.ts";
import { openHistoryIn } from "../open-history.ts";
import { amountOf } from "../output/amounts.ts";
import { actionOf, filePlanJson, formatIntents, formatPlans, problemsOf } from "../output/file-plans.ts";
import { printJson } from "../output/print-json.ts";
import { reportProblems } from "../output/problems.ts";
import { retentionWarning } from "../output/retention.ts";

export const command: Command = defineCommand({
  description:
    "Undoes `install` and `completion install`, wherever they were run: a file that has not changed since is " +
    "restored byte for byte; from other files only our entries are removed. Settings made by `retention` " +
    "stay, and so does the archive: in `SESSIONS_HOME` only the receipt changes.",
  examples: [
    { line: "sessions uninstall", says: "undo everything that was installed; asks first" },
    { line: "sessions uninstall --agent pi --yes", says: "remove the skill from Pi, without asking" },
    { line: "sessions uninstall --dry-run", says: "show the exact changes" },
  ],
  positionals: [],
  flags: {
    agent: {
      type: "strings",
      choices: installableAgents,
      placeholder: "AGENT",
      description: "which agent; all by default",
    },
    all: { type: "boolean", description: "all agents" },
    scope: {
      type: "string",
      choices: ["user", "project"],
      placeholder: "SCOPE",
      description: "only what was installed for this user, or in this folder",
    },
    "dry-run": dryRunFlag,
    yes: { type: "boolean", alias: "y", description: "do not ask" },
  },
  async run({ flags }, world) {
    const history = await openHistoryIn(world, { reveal: flags.reveal, allowDemo: false });
    const { library, mask, writing } = history;
    const dryRun = flags["dry-run"];
    const agents = flags.all || flags.agent.length === 0 ? installableAgents : [...new Set(flags.agent)];
    const shells = flags.agent.length === 0;
    const all = uninstallFiles(library, packageOf(world), { agents, scope: flags.scope, shells });
    // One broken file does not prevent the others. As far as is known, files that are not in the receipt have nothing
    // of ours.
    const unusable = findUnusable(library, all);
    let notDone = unusable.filter(({ isOurs }) => isOurs);
    const files = all.filter((file) => unusable.every(({ target }) => target !== file));
    const intended = planFiles(library, files);
    let plans = intended.filter(isOfInterest);
    const isNeeded = plans.some((plan) => !["unchanged", "left"].includes(actionOf(plan)));
    const [first] = notDone;
    if (first !== undefined && !isNeeded) throw first.error;
    if (!dryRun && isNeeded && !flags.yes) {
      if (!flags.json) world.stderr.write(formatIntents(plans, world));
      if (!(await isConfirmed("uninstall", "Make these changes?", world))) return exitCodes.refused;
    }
    // Also if a killed run left only its note in the receipt.
    if (!dryRun && intended.some((plan) => isOfInterest(plan) || plan.record !== undefined)) {
      const changed = await world.uninterrupted(async () =>
        changeEachFile(library, files, (await writing()).locking),
      );
      plans = changed.plans.filter(isOfInterest);
      notDone = [...notDone, ...changed.refused];
      const [failed] = changed.refused;
      if (failed !== undefined && plans.length === 0) throw failed.error;
    }
    if (flags.json) {
      printJson(world, {
        dryRun,
        scope: flags.scope ?? null,
        agents,
        files: mask(plans.map((plan) => filePlanJson(plan, dryRun))),
        problems: mask(problemsOf(notDone)),
        receipt: library.places.receipt,
      });
    } else {
      world.stdout.write(formatPlans(plans, { dryRun, mask }, world));
      if (!isNeeded) world.stdout.write("Nothing is installed.\n");
      reportProblems(mask(problemsOf(notDone)), world);
      if (!dryRun && plans.some(endsRetention)) {
        const status = await history.retention();
        for (const { effective, agentName } of status.slice(0, 1)) {
          const days = amountOf(effective.days, "day");
          world.stdout.write(`${agentName} keeps sessions for ${days} again. What is archived stays.\n`);
        }
        world.stdout.write(retentionWarning(status, world));
      }
    }
    return notDone.length > 0 || plans.some(({ foreign }) => foreign)
      ? exitCodes.withProblems
      : exitCodes.done;
  },
});

/** Leaves out files that never had anything of ours. */
function isOfInterest(plan: FilePlan): boolean {
  const action = actionOf(plan);
  return action === "left" ? plan.record !== undefined : action !== "unchanged";
}

function endsRetention({ presentChanges, changes }: FilePlan): boolean {
  const keys = agentsThat("retention").map(({ how }) => how.key);
  const isThere = (all: FilePlan["changes"]): boolean =>
    all.some((change) => keys.includes(nameOfChange(change)));
  return isThere(presentChanges) && !isThere(changes);
}
