import { exitCodes, type TextPush, teamOf } from "../../index.ts";
import { type Command, defineCommand, dryRunFlag } from "../command.ts";
import { openHistoryIn } from "../open-history.ts";
import { amountOf, formatBytes, formatDuration } from "../output/amounts.ts";
import { printJson } from "../output/print-json.ts";
import { reportProblems } from "../output/problems.ts";
import { indexProgress } from "../output/progress.ts";
import { sanitize } from "../output/sanitize.ts";

export const command: Command = defineCommand({
  description:
    "Pushes the text of this machine's sessions to an OpenSearch cluster, where `sessions search --remote " +
    "NAME` finds them: only what changed since the last push, with secrets masked. Sessions forgotten here " +
    "are removed there.\n\n" +
    "Sessions are private: only you can find them. Projects under `push.team` in config.json are shared with " +
    "everybody on the cluster; with --visibility team, so are all sessions of this machine, until a push " +
    "without it makes them private again.\n\n" +
    "The cluster's user and password come from OPENSEARCH_USERNAME and OPENSEARCH_PASSWORD, or from the file " +
    "given to `sessions remote add --credentials`.",
  examples: [
    { line: "sessions push", says: "to the only cluster that was added" },
    { line: "sessions push --dry-run", says: "how much would be pushed and removed" },
    { line: "sessions push team --visibility team", says: "readable by everybody who may search there" },
    { line: "sessions push team --reindex", says: "after an update: build the new index, then switch to it" },
  ],
  positionals: [{ name: "name", description: "the name of the remote", optional: true, values: "cluster" }],
  flags: {
    "dry-run": dryRunFlag,
    remote: {
      type: "string",
      placeholder: "NAME",
      values: "cluster",
      description: "the same as the name",
    },
    visibility: {
      type: "string",
      choices: ["private", "team"],
      description: "who may read the sessions of this machine",
    },
    rebuild: { type: "boolean", description: "push everything again" },
    reindex: {
      type: "boolean",
      description: "first build the index of this version from an older one, for everybody; searches go on",
    },
  },
  async run({ flags, positionals }, world) {
    const { visibility, rebuild, reindex, "dry-run": dryRun } = flags;
    const history = await openHistoryIn(world, { reveal: flags.reveal, allowDemo: false });
    const startedAt = world.now();
    const answer = await teamOf(history).push(positionals[0] ?? flags.remote, {
      rebuild,
      reindex,
      dryRun,
      ...(visibility === undefined ? {} : { visibility: visibility === "team" ? "team" : "private" }),
      ...(world.stderr.isTerminal ? { meter: () => indexProgress(world) } : {}),
    });
    const tookMs = world.now() - startedAt;
    if (flags.json) printJson(world, { ...(dryRun && { dryRun }), ...pushJson(answer), tookMs });
    else {
      world.stdout.write(dryRun ? formatDryRun(answer) : formatPush(answer, tookMs));
      reportProblems(answer.problems, world);
    }
    return answer.problems.length > 0 ? exitCodes.withProblems : exitCodes.done;
  },
});

function pushJson({ remote, source, reindexed, ...counts }: TextPush): object {
  const { pushed, removed, visibilityChanged, sessions, turns, bytes, problems } = counts;
  return {
    remote: remote.name,
    owner: source.owner,
    machine: source.machine,
    pushed,
    removed,
    visibilityChanged,
    bytes,
    sessions,
    turns,
    reindexed:
      reindexed === null ? null : { from: reindexed.from, to: reindexed.to, sessions: reindexed.sessions },
    problems,
  };
}

function formatDryRun({
  remote,
  source,
  pushed,
  removed,
  visibilityChanged,
  bytes,
  sessions,
}: TextPush): string {
  const lines = [
    `${amountOf(pushed, "session")} would be pushed to ${remote.name} (${formatBytes(bytes)} of logs)`,
    ...(removed === 0 ? [] : [`${amountOf(removed, "session")} would be removed there`]),
    ...(visibilityChanged === 0
      ? []
      : [`${amountOf(visibilityChanged, "session")} would get another visibility`]),
    `${amountOf(sessions, "session")} of ${source.owner} on ${source.machine} are there`,
  ];
  return `${lines.map((line) => sanitize(line)).join("\n")}\n`;
}

function formatPush(answer: TextPush, tookMs: number): string {
  const { remote, source, pushed, removed, visibilityChanged, bytes, sessions, reindexed } = answer;
  const rate = pushed === 0 ? "" : ` (${formatBytes(bytes)} of logs in ${formatDuration(tookMs)})`;
  const lines = [
    ...(reindexed === null
      ? []
      : [
          `Reindexed ${amountOf(reindexed.sessions, "session")}: ${reindexed.to} in place of ${reindexed.from}`,
        ]),
    `${amountOf(pushed, "session")} pushed to ${remote.name}${rate}`,
    ...(removed === 0 ? [] : [`${amountOf(removed, "session")} removed there`]),
    ...(visibilityChanged === 0 ? [] : [`${amountOf(visibilityChanged, "session")} with another visibility`]),
    `${amountOf(sessions, "session")} of ${source.owner} on ${source.machine} are there`,
  ];
  return `${lines.map((line) => sanitize(line)).join("\n")}\n`;
}
