import { basename } from "node:path";
import { exitCodes, UserError } from "../../index.ts";
import { changeFiles, planFiles, scriptFile } from "../../integrations/install-files.ts";
import { type Command, defineCommand, dryRunFlag } from "../command.ts";
import { completionScript, isShell, type Shell, scriptPlace, shells } from "../completion/shell-scripts.ts";
import { isConfirmed } from "../confirm.ts";
import { openHistoryIn } from "../open-history.ts";
import { actionOf, filePlanJson, formatIntents, formatPlans } from "../output/file-plans.ts";
import { printJson } from "../output/print-json.ts";
import type { World } from "../world.ts";

export const command: Command = defineCommand({
  description:
    "Completes commands, flags, session ids with their titles, projects, agents and branches when you press Tab. Prints the " +
    "script for a shell; `completion install` writes it where the shell looks for it, and says what it writes. " +
    "`sessions uninstall` removes it.",
  examples: [
    { line: "sessions completion install", says: "for the shell that you use; asks first" },
    { line: "sessions completion install zsh --yes", says: "for zsh, without asking" },
    { line: "sessions completion bash", says: "print the script, to be evaluated by bash" },
  ],
  positionals: [
    { name: "shell", description: "bash, zsh, fish, or install", choices: [...shells, "install"] },
    { name: "for", description: "with install: the shell", optional: true, choices: shells },
  ],
  flags: {
    "dry-run": dryRunFlag,
    yes: { type: "boolean", alias: "y", description: "do not ask" },
  },
  async run({ flags, positionals }, world) {
    const [what = "", named] = positionals;
    if (isShell(what)) {
      const script = completionScript(what);
      if (flags.json) printJson(world, { shell: what, script });
      else world.stdout.write(script);
      return exitCodes.done;
    }
    const shell = shellNamed(named, world);
    const { library, mask, writing } = await openHistoryIn(world, { reveal: flags.reveal, allowDemo: false });
    const { path, afterwards } = scriptPlace(shell, world.home, world.variables);
    const files = [scriptFile(path, completionScript(shell))];
    let plans = planFiles(library, files);
    const dryRun = flags["dry-run"];
    const isNeeded = plans.some((plan) => actionOf(plan) !== "unchanged");
    if (!dryRun && isNeeded && !flags.yes) {
      if (!flags.json) world.stderr.write(formatIntents(plans, world));
      if (!(await isConfirmed("install", "Make these changes?", world))) return exitCodes.refused;
    }
    if (!dryRun)
      plans = await world.uninterrupted(async () => changeFiles(library, files, (await writing()).locking));
    if (flags.json)
      printJson(world, { shell, dryRun, files: mask(plans.map((plan) => filePlanJson(plan, dryRun))) });
    else world.stdout.write(`${formatPlans(plans, { dryRun, mask }, world)}${afterwards}\n`);
    return plans.some(({ foreign }) => foreign) ? exitCodes.withProblems : exitCodes.done;
  },
});

/** The named shell, or else the one that the user logs in with. */
function shellNamed(named: string | undefined, { variables }: World): Shell {
  const name = named ?? basename(variables.SHELL ?? "");
  if (isShell(name)) return name;
  throw new UserError("Cannot tell which shell you use", {
    exitCode: exitCodes.wrongUsage,
    hint: `name it: sessions completion install ${shells.join("|")}`,
  });
}
