import { agentsThat } from "../../agents/actions.ts";
import { exitCodes } from "../../index.ts";
import {
  changeEachFile,
  defaultAgents,
  findUnusable,
  type InstallOptions,
  installableAgents,
  installFiles,
  packageOf,
  planFiles,
  summaryWriters,
} from "../../integrations/install-files.ts";
import { timers, timerText } from "../../integrations/timer-text.ts";
import { type Command, defineCommand, dryRunFlag } from "../command.ts";
import { askAtTerminal } from "../confirm.ts";
import { openHistoryIn } from "../open-history.ts";
import { actionOf, filePlanJson, formatIntents, formatPlans, problemsOf } from "../output/file-plans.ts";
import { printJson } from "../output/print-json.ts";
import { reportProblems } from "../output/problems.ts";
import { sanitize } from "../output/sanitize.ts";
import { shortPath } from "../output/session-table.ts";
import { createStyle } from "../output/style.ts";

export const command: Command = defineCommand({
  description:
    "Sets up agents to keep their history, and to search it. Claude Code: hooks that archive a session before it " +
    "is compacted and when it ends, `cleanupPeriodDays` so that sessions are not deleted, the MCP server, the " +
    "skill `session-finder`, and the commands /sessions, /compactish and /flatten. Codex: the same hooks, the MCP " +
    "server and the skill. Pi: an extension that archives a session before it is compacted, before a branch is left, " +
    "and when it ends, and has tools and the command /sessions to find earlier ones; and the skill. Gemini CLI, Qwen " +
    "Code, opencode and Copilot CLI: the MCP server and the skill.\n\n" +
    "Changes settings.json, ~/.claude.json, skills/ and commands/ for Claude Code (with --scope project: " +
    ".claude/settings.local.json, ~/.claude.json and .claude/skills/); hooks.json, config.toml and ~/.agents/skills/ " +
    "for Codex; extensions/sessions.js and skills/ in Pi's folder; settings.json and skills/ of Gemini CLI and Qwen " +
    "Code; opencode.json and skills/ of opencode; mcp-config.json and skills/ of Copilot CLI. With --scope project all " +
    "but Claude Code get only the skill: everything else names paths of this machine, and these files of a project are " +
    "shared. An agent that reads the skill of another, as in ~/.agents/skills/, gets none of its own. Everything else in these files " +
    "stays, including comments, and hooks, servers and skills of others. `sessions uninstall` undoes it.",
  examples: [
    { line: "sessions install", says: "Claude Code, for this user; asks first" },
    { line: "sessions install --dry-run", says: "show the exact changes" },
    { line: "sessions install --all --yes", says: "all agents, without asking" },
    {
      line: "sessions install --agent pi --summary sessions",
      says: "Pi, with our summaries when it compacts: at once, without a model",
    },
    { line: "sessions install --timer cron", says: "print a line for crontab, instead of hooks" },
  ],
  positionals: [],
  flags: {
    agent: {
      type: "strings",
      choices: installableAgents,
      placeholder: "AGENT",
      description: `which agent; ${defaultAgents.join(" and ")} by default`,
    },
    all: { type: "boolean", description: "all agents" },
    scope: {
      type: "string",
      choices: ["user", "project"],
      default: "user",
      placeholder: "SCOPE",
      description: "for this user, or only in this folder",
    },
    retention: { type: "boolean", default: true, description: "do not change cleanupPeriodDays" },
    summary: {
      type: "string",
      choices: ["agent", "sessions"],
      placeholder: "WHO",
      description:
        "Pi: who writes the summary when it compacts or leaves a branch, its model or this program; asks by default, " +
        "and --yes leaves it as it is",
    },
    timer: {
      type: "string",
      choices: timers,
      placeholder: "TIMER",
      description:
        "print a timer for cron, systemd or launchd that archives every ten minutes; writes nothing",
    },
    "dry-run": dryRunFlag,
    yes: { type: "boolean", alias: "y", description: "do not ask" },
  },
  async run({ flags }, world) {
    if (flags.timer !== undefined) {
      const text = timerText(flags.timer, world);
      if (flags.json) printJson(world, { timer: flags.timer, text });
      else world.stdout.write(text);
      return exitCodes.done;
    }
    const { library, mask, writing } = await openHistoryIn(world, { reveal: flags.reveal, allowDemo: false });
    const dryRun = flags["dry-run"];
    const named = flags.all
      ? installableAgents
      : flags.agent.length > 0
        ? [...new Set(flags.agent)]
        : defaultAgents;
    const { scope, retention } = flags;
    const filesOf = (
      agents: InstallOptions["agents"],
      summaryBy: InstallOptions["summaryBy"],
    ): ReturnType<typeof installFiles> =>
      installFiles(library, packageOf(world), { agents, scope, retention, summaryBy });
    // An agent gets all of it or nothing; one that can't be changed does not prevent the others.
    let unusable = findUnusable(library, filesOf(named, flags.summary));
    const agents = named.filter((agent) => unusable.every(({ target }) => target.agent !== agent));
    const [first] = unusable;
    if (first !== undefined && agents.length === 0) throw first.error;
    const filesFor = (summaryBy: InstallOptions["summaryBy"]): ReturnType<typeof installFiles> =>
      filesOf(agents, summaryBy);
    let files = filesFor(flags.summary);
    let plans = planFiles(library, files);
    const isNeeded = plans.some((plan) => !["unchanged", "left"].includes(actionOf(plan)));
    if (!dryRun && isNeeded && !flags.yes) {
      const questions = askAtTerminal("install", world);
      const [writer] =
        flags.summary === undefined ? summaryWriters(library, { agents, scope: flags.scope }) : [];
      if (writer !== undefined && writer.now === undefined) {
        const { name } = writer;
        const chosen = await questions.choose(`Who writes the summary when ${name} compacts a session?`, [
          `${name}: its model, as now`,
          "sessions: at once, without a model",
        ]);
        files = filesFor(chosen === 0 ? "agent" : "sessions");
        plans = planFiles(library, files);
      }
      if (!flags.json) world.stderr.write(formatIntents(plans, world));
      if (!(await questions.confirm("Make these changes?"))) return exitCodes.refused;
    }
    if (!dryRun) {
      const changed = await world.uninterrupted(async () =>
        changeEachFile(library, files, (await writing()).locking),
      );
      const [failed] = changed.refused;
      if (failed !== undefined && changed.plans.length === 0) throw failed.error;
      plans = changed.plans;
      unusable = [...unusable, ...changed.refused];
    }
    if (flags.json) {
      printJson(world, {
        dryRun,
        scope: flags.scope,
        agents: named,
        files: mask(plans.map((plan) => filePlanJson(plan, dryRun))),
        problems: mask(problemsOf(unusable)),
        receipt: library.places.receipt,
      });
    } else {
      const style = createStyle(world.stdout.hasColor);
      world.stdout.write(formatPlans(plans, { dryRun, mask }, world));
      reportProblems(mask(problemsOf(unusable)), world);
      if (!dryRun && isNeeded) {
        const receipt = sanitize(shortPath(library.places.receipt, world.home));
        world.stdout.write(
          style.dim(`The changes are recorded in ${receipt}. Sessions that start from now on use them.\n`),
        );
        for (const { agent, how } of agentsThat("hooks")) {
          const isHooked = agents.includes(agent.name) && how.settingsFiles(library, flags.scope).length > 0;
          if (isHooked && how.trust !== undefined) world.stdout.write(`${how.trust}\n`);
        }
        world.stdout.write(
          `${style.cyan("sessions doctor")} ${style.dim("checks that it works;")} ${style.cyan("sessions uninstall")} ${style.dim("undoes it.")}\n`,
        );
      }
    }
    return unusable.length > 0 || plans.some(({ foreign }) => foreign)
      ? exitCodes.withProblems
      : exitCodes.done;
  },
});
