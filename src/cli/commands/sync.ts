import { exitCodes, remotesOf, type SyncAnswer } from "../../index.ts";
import { type Command, defineCommand, dryRunFlag } from "../command.ts";
import { openHistoryIn } from "../open-history.ts";
import { amountOf, formatBytes } from "../output/amounts.ts";
import { printJson } from "../output/print-json.ts";
import { reportProblems } from "../output/problems.ts";
import { createProgress } from "../output/progress.ts";
import { sanitize } from "../output/sanitize.ts";
import { createStyle } from "../output/style.ts";
import type { World } from "../world.ts";

export const command: Command = defineCommand({
  description:
    "Shares one history between your machines: pushes the archive to a remote, pulls what your other machines " +
    "pushed, and indexes it. Their sessions are then listed, searched, shown and restored here, with the name " +
    "of their machine. Everything is encrypted before it leaves. Run `sessions archive` first to include the " +
    "newest sessions.\n\n" +
    "It may be interrupted at any time; the next run continues. Sessions forgotten on one machine are " +
    "forgotten on all, and their bytes leave the remote after 7 days. --check reads everything that this " +
    "machine has pushed and pulled, and repairs damage there and here.",
  examples: [
    { line: "sessions sync", says: "with the only remote" },
    { line: "sessions sync home --dry-run", says: "how much would be pushed and pulled" },
    {
      line: "sessions sync home --check",
      says: "read what this machine has pushed and pulled, and repair it",
    },
  ],
  positionals: [
    {
      name: "remote",
      description: "its name; not needed if there is only one",
      optional: true,
      values: "repository",
    },
  ],
  flags: {
    check: {
      type: "boolean",
      description: "read what this machine has pushed and pulled, and repair it there and here",
    },
    "dry-run": dryRunFlag,
  },
  async run({ flags, positionals }, world) {
    const history = await openHistoryIn(world, { reveal: flags.reveal, allowDemo: false });
    const bars = new Map<string, ReturnType<typeof createProgress>>();
    const endAll = (): void => {
      for (const bar of bars.values()) bar.end();
    };
    let answer: SyncAnswer;
    try {
      answer = await remotesOf(history).sync(positionals[0], {
        check: flags.check,
        dryRun: flags["dry-run"],
        onProgress: (phase, state) => {
          const bar = bars.get(phase) ?? createProgress(phase, world);
          if (!bars.has(phase)) endAll();
          bars.set(phase, bar);
          bar.update(state);
        },
      });
    } finally {
      endAll();
    }
    if (answer.isNameShared) warnOfSharedName(answer.machine, world);
    if (flags.json) printJson(world, syncJson(answer));
    else {
      world.stdout.write(format(answer, world));
      reportProblems(answer.problems, world);
    }
    return answer.problems.length > 0 ? exitCodes.withProblems : exitCodes.done;
  },
});

/** Says that another machine has the same name as this one: filters can't tell them apart. */
export function warnOfSharedName(name: string, world: World): void {
  const { yellow } = createStyle(world.stderr.hasColor);
  world.stderr.write(
    `${yellow("sessions:")} two machines are called ${sanitize(name)}; name this one in config.json: {"machine": "…"}\n`,
  );
}

function syncJson({ tombstones, machines, isNameShared: _shared, ...answer }: SyncAnswer): object {
  const names = (keys: SyncAnswer["tombstones"]["forgotten"]): object[] =>
    keys.map(({ id, agent }) => ({ sessionId: id, agent }));
  return {
    ...answer,
    forgotten: names(tombstones.forgotten),
    broughtBack: names(tombstones.broughtBack),
    machines: machines.map(({ name, sessions, isThis }) => ({ name, sessions, thisMachine: isThis })),
  };
}

function format(answer: SyncAnswer, world: World): string {
  const { dim, bold } = createStyle(world.stdout.hasColor);
  const { pushed, pulled, tombstones, garbage, machines, dryRun } = answer;
  const will = dryRun ? "would be " : "";
  const amounts = ({ sessions, bytes }: SyncAnswer["pulled"]): string =>
    `${amountOf(sessions, "session")}${bytes > 0 ? `, ${formatBytes(bytes)}` : ""}`;
  const lines = [
    `${bold(sanitize(answer.remote))}  ${dim(sanitize(answer.place))}`,
    `${will}pushed: ${amounts(pushed)}`,
    `${will}pulled: ${amounts(pulled)}`,
  ];
  if (pushed.mended > 0)
    lines.push(`${will}stored again: ${amountOf(pushed.mended, "damaged or missing object")}`);
  if (tombstones.forgotten.length > 0)
    lines.push(
      `${will}forgotten: ${amountOf(tombstones.forgotten.length, "session")}, because another machine forgot it`,
    );
  if (tombstones.broughtBack.length > 0)
    lines.push(`${will}brought back: ${amountOf(tombstones.broughtBack.length, "session")}`);
  if (garbage.objects > 0)
    lines.push(
      `${will}removed there: ${amountOf(garbage.objects, "object")} that nothing needs, ${formatBytes(garbage.bytes)}`,
    );
  lines.push(
    ...machines.map(({ name, sessions, isThis }) =>
      dim(`  ${sanitize(name)}: ${amountOf(sessions, "session")}${isThis ? " (this machine)" : ""}`),
    ),
  );
  return lines.map((line) => `${line}\n`).join("");
}
