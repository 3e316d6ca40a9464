import { exitCodes, type TextPush, teamOf } from "../../index.ts";
import { type Command, defineCommand } from "../command.ts";
import { openHistoryIn } from "../open-history.ts";
import { amountOf, formatBytes, formatDuration } from "../output/amounts.ts";
import { printJson } from "../output/print-json.ts";
import { reportProblems } from "../output/problems.ts";
import { indexProgress } from "../output/progress.ts";
import { sanitize } from "../output/sanitize.ts";

export const command: Command = defineCommand({
  description:
    "Pushes the text of this machine's sessions to an OpenSearch cluster, where `sessions search --remote NAME` finds " +
    "them: only what changed since the last push, with secrets masked. What was forgotten here is removed there.\n\n" +
    "Sessions are private: only you find them. Everybody finds those of the projects that `push.team` in config.json " +
    "names, or all of this machine with --visibility team. The next push without it makes them private again.\n\n" +
    "The cluster's user and password come from OPENSEARCH_USERNAME and OPENSEARCH_PASSWORD, or from the file that was " +
    "named with `sessions remote add --credentials`.",
  examples: [
    { line: "sessions push", says: "to the only cluster that was added" },
    { line: "sessions push team --visibility team", says: "readable by everybody who may search there" },
    { line: "sessions push team --reindex", says: "after an update: build the new index, then switch to it" },
  ],
  positionals: [{ name: "name", description: "the name of the remote", optional: true, values: "cluster" }],
  flags: {
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
    const { visibility, rebuild, reindex } = flags;
    const history = await openHistoryIn(world, { reveal: flags.reveal, allowDemo: false });
    const startedAt = world.now();
    const answer = await teamOf(history).push(positionals[0] ?? flags.remote, {
      rebuild,
      reindex,
      ...(visibility === undefined ? {} : { visibility: visibility === "team" ? "team" : "private" }),
      ...(world.stderr.isTerminal ? { meter: () => indexProgress(world) } : {}),
    });
    const tookMs = world.now() - startedAt;
    if (flags.json) printJson(world, { ...pushJson(answer), tookMs });
    else {
      world.stdout.write(formatPush(answer, tookMs));
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
