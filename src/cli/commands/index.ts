import { exitCodes } from "../../errors.ts";
import { tidyIndex, withIndex } from "../../search/refresh/index-access.ts";
import { readSessionCatalog } from "../../search/session-catalog.ts";
import { type Command, defineCommand } from "../command.ts";
import { openLibrary } from "../open-library.ts";
import { countOf, formatBytes, formatDuration } from "../output/amounts.ts";
import { coverageJson, printJson } from "../output/print-json.ts";
import { reportProblems } from "../output/problems.ts";

export const command: Command = defineCommand({
  description:
    "Updates the search index from logs and archive. Every search does that first; run this to do it at " +
    "another time, or to rebuild the index.",
  examples: [
    { line: "sessions index", says: "read what changed" },
    { line: "sessions index --rebuild", says: "read everything again" },
  ],
  positionals: [],
  flags: { rebuild: { type: "boolean", description: "discard the index and read everything again" } },
  async run({ flags }, world) {
    const { library, access, mask } = await openLibrary(world, { reveal: flags.reveal, allowDemo: false });
    const startedAt = world.now();
    // An index in memory would be of no use here.
    const { inMemory: _, ...kept } = access;
    const patient = { ...kept, patient: true, rebuild: flags.rebuild };
    const { refreshed, catalog } = await withIndex(library, patient, async (reader, done) => ({
      refreshed: done,
      catalog: await readSessionCatalog(library, reader, done),
    }));
    // With nothing to read, there is time to tidy up.
    if (refreshed?.read === 0) await tidyIndex(library, kept);
    const tookMs = world.now() - startedAt;
    const { read = 0, removed = 0, bytes = 0, rebuilt = null } = refreshed ?? {};
    const { coverage } = catalog;
    const problems = mask(catalog.problems);
    if (flags.json) {
      printJson(world, { read, removed, bytes, rebuilt, tookMs, coverage: coverageJson(coverage), problems });
    } else {
      const rate = read === 0 ? "" : ` (${formatBytes(bytes)} in ${formatDuration(tookMs)})`;
      const { sessions, turns } = coverage;
      const has =
        sessions === 0
          ? "the index is empty"
          : `${countOf(sessions, "session")} with ${countOf(turns, "turn")} in the index`;
      world.stdout.write(`${countOf(read, "session")} read${rate}; ${has}\n`);
      reportProblems(problems, world);
    }
    return problems.length > 0 ? exitCodes.withProblems : exitCodes.done;
  },
});
