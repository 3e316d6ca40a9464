import {
  exitCodes,
  type FoundDamage,
  type OpenHistory,
  type RepositoryProof,
  remotesOf,
  UserError,
  type VerifyReport,
} from "../../index.ts";
import { formatNumber, sessionsOf } from "../../render/words.ts";
import { archivedPositional, type Command, defineCommand } from "../command.ts";
import { openHistoryIn } from "../open-history.ts";
import { amountOf, formatBytes } from "../output/amounts.ts";
import { printJson } from "../output/print-json.ts";
import { createProgress } from "../output/progress.ts";
import { sanitize } from "../output/sanitize.ts";
import { createStyle } from "../output/style.ts";
import { wrapMessage } from "../output/text-width.ts";
import type { World } from "../world.ts";

export const command: Command = defineCommand({
  description:
    "Checks the archive: reads every byte of every generation and compares it with its hash, and with the " +
    "agent's own log if that still exists. Names each damaged session, file, generation and byte range, and " +
    "says how much is still good. Also checks the sidecars of flattened sessions, and looks for markers whose " +
    "result is missing. Changes nothing.\n\n" +
    "With --remote, checks the repository of a remote instead: fetches, opens and compares everything that any of your " +
    "machines has pushed.",
  examples: [
    { line: "sessions verify", says: "the whole archive" },
    { line: "sessions verify 3f542803 --json", says: "one session, as JSON" },
    { line: "sessions verify --remote home", says: "what your machines have pushed" },
  ],
  positionals: [archivedPositional],
  flags: {
    everywhere: { type: "boolean", description: "with last: in all projects" },
    remote: {
      type: "string",
      placeholder: "NAME",
      values: "repository",
      description: "check the repository of this remote",
    },
  },
  async run({ flags, positionals }, world) {
    const history = await openHistoryIn(world, { reveal: flags.reveal, allowDemo: false });
    if (flags.remote !== undefined) {
      if (positionals.length > 0) {
        throw new UserError("Cannot verify single sessions of a remote", {
          exitCode: exitCodes.wrongUsage,
          hint: `all of it: sessions verify --remote ${flags.remote}`,
        });
      }
      return verifyRemote(history, flags.remote, flags.json, world);
    }
    const progress = createProgress("Verifying", world);
    let answer: VerifyReport;
    try {
      answer = await history.verify(positionals.length === 0 ? undefined : positionals, {
        everywhere: flags.everywhere,
        onProgress: (state) => progress.update(state),
      });
    } finally {
      progress.end();
    }
    if (flags.json) printJson(world, verifyJson(answer));
    else world.stdout.write(format(answer, world));
    const { damages, differences, sidecars } = answer;
    const isGood = damages.length === 0 && differences.length === 0 && sidecars.findings.length === 0;
    return isGood ? exitCodes.done : exitCodes.withProblems;
  },
});

async function verifyRemote(
  history: OpenHistory,
  remote: string,
  isJson: boolean,
  world: World,
): Promise<number> {
  const progress = createProgress("Verifying", world);
  let proof: RepositoryProof;
  try {
    proof = await remotesOf(history).verify(remote, { onProgress: (state) => progress.update(state) });
  } finally {
    progress.end();
  }
  if (isJson) printJson(world, { remote, ...proof });
  else world.stdout.write(formatProof(proof, remote, world));
  return proof.damages.length === 0 ? exitCodes.done : exitCodes.withProblems;
}

function formatProof(proof: RepositoryProof, remote: string, world: World): string {
  const style = createStyle(world.stdout.hasColor);
  const { damages, machines, sessions, generations, objects, bytes, storedBytes, unnamed } = proof;
  const lines = damages.map(({ path, what }) => `${style.red(sanitize(path))}  ${sanitize(what)}`);
  lines.push(
    `${amountOf(sessions, "session")} of ${amountOf(machines.length, "machine")}, ` +
      `${amountOf(generations, "generation")}, ${amountOf(objects, "object")}: ${formatBytes(bytes)} verified, ` +
      `stored in ${formatBytes(storedBytes)}.`,
  );
  if (unnamed > 0) lines.push(style.dim(`${amountOf(unnamed, "object")} that no manifest names.`));
  if (damages.length > 0) {
    lines.push(style.red(`${amountOf(damages.length, "damaged object")}.`));
    const hint = `\`sessions sync ${sanitize(remote)} --check\` on the machine of a session stores it again`;
    lines.push(`${style.dim("hint:")} ${hint}`);
  }
  return lines.map((line) => `${wrapMessage(line, world.stdout.columns)}\n`).join("");
}

function verifyJson({ damages, differences, sidecars, ...rest }: VerifyReport): object {
  return {
    ...rest,
    sidecars: {
      ...sidecars,
      findings: sidecars.findings.map(({ id, copy: _copy, path, ...finding }) => ({
        sessionId: id,
        file: path,
        ...finding,
      })),
      withoutLog: sidecars.withoutLog.map(({ id, agent }) => ({ sessionId: id, agent })),
    },
    damages: damages.map(({ id, path, ...damage }) => ({ sessionId: id, file: path, ...damage })),
    differences: differences.map(({ id, path, ...difference }) => ({
      sessionId: id,
      file: path,
      ...difference,
    })),
  };
}

function format({ damages, differences, ...proof }: VerifyReport, world: World): string {
  const style = createStyle(world.stdout.hasColor);
  const lines = damages.map((damage) => lineOf(damage, world));
  for (const { id, path, what } of differences) {
    lines.push(`${style.yellow(sanitize(id))}  ${sanitize(path)}: ${sanitize(what)}`);
  }
  const { sidecars, findings, blocks } = { ...proof.sidecars };
  for (const { id, path, what, fix } of findings) {
    lines.push(`${style.red(sanitize(id))}  ${sanitize(path)}: ${sanitize(what)}`);
    lines.push(`${style.dim("fix:")} ${sanitize(fix)}`);
  }
  const { same, changed, gone } = proof.sources;
  lines.push(
    `${sessionsOf(proof)}, ${amountOf(proof.generations, "generation")}, ` +
      `${amountOf(proof.files, "file")}: ${formatBytes(proof.bytes)} verified.`,
    style.dim(
      `The agents' own files: ${formatNumber(same)} unchanged, ${formatNumber(changed)} changed since, ` +
        `${formatNumber(gone)} gone.`,
    ),
  );
  if (sidecars > 0) {
    lines.push(
      style.dim(`${amountOf(sidecars, "sidecar")} of flattened sessions, ${amountOf(blocks, "block")}.`),
    );
  }
  if (damages.length > 0) {
    const bad = new Set(damages.map(({ id }) => id)).size;
    lines.push(style.red(`${amountOf(damages.length, "damaged part")} in ${amountOf(bad, "session")}.`));
    if (damages.some(({ mendable }) => mendable)) {
      lines.push(`${style.dim("hint:")} \`sessions archive --check\` repairs what the agents still have`);
    }
    if (damages.some(({ machine }) => machine !== null)) {
      lines.push(
        `${style.dim("hint:")} \`sessions sync --check\` fetches again what other machines have pushed`,
      );
    }
  }
  return lines.map((line) => `${wrapMessage(line, world.stdout.columns)}\n`).join("");
}

function lineOf(
  { id, generation, path, from, to, what, size, goodBytes, mendable, machine }: FoundDamage,
  world: World,
): string {
  const style = createStyle(world.stdout.hasColor);
  const place = [
    ...(generation === 0 ? [] : [`generation ${generation}`]),
    ...(path === null ? [] : [path, `bytes ${from}–${to} of ${size}`]),
  ].join(", ");
  const rest = path === null ? "" : `; ${formatBytes(goodBytes)} of ${formatBytes(size)} are good`;
  const hope = mendable ? "; the agent still has it" : machine === null ? "" : `; it belongs to ${machine}`;
  return `${style.red(sanitize(id))}  ${sanitize(`${place}${place === "" ? "" : ": "}${what}${rest}${hope}`)}`;
}
