import type { CommandRow } from "./command-rows.ts";
import { chooseCalls, crashOptions, isWanted, reportCount } from "./crash-options.ts";
import { createTrial, type Trial } from "./trial.ts";

/** How to die, and at how many calls where not at all of them. */
export interface WayToDie {
  readonly name: string;
  readonly sample: (row: CommandRow) => number;
  /** How many calls there are; by default those of the command and its guard. */
  readonly calls?: (trial: Trial) => Promise<number>;
  /** False: it had ended by itself before. Throws what is wrong afterwards. */
  readonly die: (trial: Trial, at: number) => Promise<boolean>;
}

/** More of the same say nothing new. */
const MAX_SHOWN = 5;

/** Has one row die in every way that is wanted, and throws all that was wrong afterwards, each with how to see it again. */
export async function sweepRow(row: CommandRow, ways: readonly WayToDie[]): Promise<void> {
  const wanted = ways.filter(({ name }) => isWanted(row.name, name));
  if (wanted.length === 0) return;
  const trial = await createTrial(row);
  const failures: string[] = [];
  try {
    for (const way of wanted) {
      const found = await sweepWay(trial, way);
      failures.push(...found);
    }
  } finally {
    trial.place.remove();
  }
  if (failures.length === 0) return;
  const more = failures.length > MAX_SHOWN ? `\n… and ${failures.length - MAX_SHOWN} more` : "";
  throw new Error(`${failures.slice(0, MAX_SHOWN).join("\n")}${more}`);
}

async function sweepWay(trial: Trial, way: WayToDie): Promise<readonly string[]> {
  const { row } = trial;
  const calls = (await way.calls?.(trial)) ?? trial.calls;
  // Not every command starts a guard.
  if (calls === 0) return [];
  const failures: string[] = [];
  let deaths = 0;
  const chosen = chooseCalls(row.name, way.name, calls, way.sample(row));
  const dieAt = async (at: number): Promise<void> => {
    try {
      if (await way.die(trial, at)) deaths++;
    } catch (error) {
      deaths++;
      const what = error instanceof Error ? error.message : String(error);
      failures.push(
        `npm run test:crash -- --only ${JSON.stringify(row.name)} --way ${way.name} --at ${at}\n  ${what}`,
      );
    }
  };
  for (const at of chosen) await dieAt(at);
  // A run may make fewer calls than the one that was counted, and outlive its death: every run makes a first call.
  if (deaths === 0 && crashOptions.at === undefined) await dieAt(0);
  reportCount({ row: row.name, way: way.name, deaths, calls, failures: failures.length });
  // A test that killed nothing would pass.
  if (deaths === 0 && crashOptions.at === undefined)
    failures.push(`${row.name}: ${way.name} has killed nothing`);
  return failures;
}
