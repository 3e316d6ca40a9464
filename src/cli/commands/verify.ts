import {
  type VerifyAnswer as ArchiveProof,
  type FoundDamage,
  verifyArchive,
} from "../../archive/verify-archive.ts";
import { exitCodes } from "../../errors.ts";
import { selectArchived } from "../../search/select-archived.ts";
import { checkSidecars, type SidecarsChecked } from "../../shrink/check-sidecars.ts";
import { type Command, defineCommand } from "../command.ts";
import { openLibrary } from "../open-library.ts";
import { countOf, formatBytes, formatCount } from "../output/amounts.ts";
import { printJson } from "../output/print-json.ts";
import { createProgress } from "../output/progress.ts";
import { sanitize } from "../output/sanitize.ts";
import { createStyle } from "../output/style.ts";
import { pause } from "../store-locking.ts";
import type { World } from "../world.ts";

interface VerifyAnswer extends ArchiveProof {
  /** Sidecars of flattened sessions, each block proven, and logs whose markers need them. */
  readonly sidecars: SidecarsChecked;
}

export const command: Command = defineCommand({
  description:
    "Proves the archive: reads every byte of every generation and holds it against its hash, and against the agent's " +
    "own file where that still exists. Names each damaged session, file, generation and range of bytes, and says " +
    "what of it is still good. Also reads every sidecar of flattened sessions, and looks for markers in logs whose " +
    "result is nowhere. Changes nothing.",
  examples: [
    { line: "sessions verify", says: "the whole archive" },
    { line: "sessions verify 3f542803 --json", says: "one session, for programs" },
  ],
  positionals: [
    {
      name: "session",
      description: "id, beginning of an id, last, last N, or the path that its file had",
      optional: true,
      many: true,
    },
  ],
  flags: { everywhere: { type: "boolean", description: "with last: of all projects" } },
  async run({ flags, positionals }, world) {
    const { library, mask } = await openLibrary(world, { reveal: flags.reveal, allowDemo: false });
    const progress = createProgress("Verifying", world);
    let answer: VerifyAnswer;
    try {
      const sessions =
        positionals.length === 0
          ? undefined
          : selectArchived(library, positionals, { everywhere: flags.everywhere });
      const proof = await verifyArchive(library, {
        sessions,
        onProgress: (state) => progress.update(state),
        pause,
      });
      answer = mask({ ...proof, sidecars: checkSidecars(library, { sessions, blocks: true }) });
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

function verifyJson({ damages, differences, sidecars, ...rest }: VerifyAnswer): object {
  return {
    ...rest,
    sidecars: {
      ...sidecars,
      findings: sidecars.findings.map(({ id, path, ...finding }) => ({
        sessionId: id,
        file: path,
        ...finding,
      })),
    },
    damages: damages.map(({ id, path, ...damage }) => ({ sessionId: id, file: path, ...damage })),
    differences: differences.map(({ id, path, ...difference }) => ({
      sessionId: id,
      file: path,
      ...difference,
    })),
  };
}

function format({ damages, differences, ...proof }: VerifyAnswer, world: World): string {
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
    `${countOf(proof.sessions, "session")}, ${countOf(proof.generations, "generation")}, ` +
      `${countOf(proof.files, "file")}: ${formatBytes(proof.bytes)} proven.`,
    style.dim(
      `Of the agents' own files ${formatCount(same)} are the same, ${formatCount(changed)} changed since, ` +
        `${formatCount(gone)} are gone.`,
    ),
  );
  if (sidecars > 0) {
    lines.push(
      style.dim(`${countOf(sidecars, "sidecar")} of flattened sessions, ${countOf(blocks, "block")}.`),
    );
  }
  if (damages.length > 0) {
    const bad = new Set(damages.map(({ id }) => id)).size;
    lines.push(style.red(`${countOf(damages.length, "damage")} in ${countOf(bad, "session")}.`));
    if (damages.some(({ mendable }) => mendable)) {
      lines.push(`${style.dim("hint:")} \`sessions archive --check\` mends what the agents still have`);
    }
  }
  return lines.map((line) => `${line}\n`).join("");
}

function lineOf(
  { id, generation, path, from, to, what, size, goodBytes, mendable }: FoundDamage,
  world: World,
): string {
  const style = createStyle(world.stdout.hasColor);
  const where = [
    ...(generation === 0 ? [] : [`generation ${generation}`]),
    ...(path === null ? [] : [path, `bytes ${from}–${to} of ${size}`]),
  ].join(", ");
  const rest = path === null ? "" : `; ${formatBytes(goodBytes)} of ${formatBytes(size)} are good`;
  const hope = mendable ? "; the agent still has it" : "";
  return `${style.red(sanitize(id))}  ${sanitize(`${where}${where === "" ? "" : ": "}${what}${rest}${hope}`)}`;
}
