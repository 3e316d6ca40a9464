import { rmSync } from "node:fs";
import { BUG_EXIT_CODE } from "../../../src/cli/report-error.ts";
import { type Answer, commandsOnAll, commandsOnOne, hookEvents, makePoisonWorld } from "./every-command.ts";
import { type HomeEntry, healthy, healthyEntries, makeEntries } from "./poisoned-home.ts";

export interface ExerciseOptions {
  /** Of the commands about one session, each session gets every n-th, and all together get all of them. */
  readonly everyNth: number;
  readonly onAnswer?: (answer: Answer) => void;
}

interface ListedSession {
  readonly sessionId: string;
  readonly agent: string;
  readonly source: string | null;
}

/** Runs every command in a home with these entries and healthy logs beside them, and gives what went wrong. */
export async function exercise(
  entries: readonly HomeEntry[],
  { everyNth, onAnswer }: ExerciseOptions,
): Promise<readonly string[]> {
  const { world, ask } = makePoisonWorld();
  const wrong: string[] = [];
  const run = async (argv: readonly string[], input?: string): Promise<Answer> => {
    const answer = await ask(argv, input);
    onAnswer?.(answer);
    if (isBug(answer)) wrong.push(`${argv.join(" ")}: exit ${answer.code}: ${answer.err.slice(0, 1_500)}`);
    return answer;
  };
  const list = async (): Promise<readonly ListedSession[]> => {
    const { code, out } = await run(["list", "--stubs", "--limit", "5000", "--json"]);
    return code === 0 ? JSON.parse(out).sessions : [];
  };
  try {
    makeEntries(world.home, [...healthyEntries(), ...entries]);
    for (const argv of commandsOnAll(world)) await run(argv);
    const sessions = await list();
    for (const { agent, id, word } of healthy) {
      if (!sessions.some((each) => each.sessionId === id && each.agent === agent))
        wrong.push(`${id} is not listed`);
      if (!(await run(["search", word, "-q"])).out.includes(id)) wrong.push(`${id} is not found by ${word}`);
      const { code, err } = await run(["restore", id, "--to", `${world.root}/kept`, "--json"]);
      if (code !== 0) wrong.push(`${id} is not archived: ${err}`);
    }
    const bad = sessions.filter(({ sessionId }) => !healthy.some(({ id }) => id === sessionId));
    for (const [index, { sessionId, source }] of bad.entries()) {
      const commands: readonly (readonly [readonly string[], string?])[] = [
        ...commandsOnOne(world, sessionId).map((argv) => [argv] as const),
        ...(source === null ? [] : hookEvents(source)),
        ...(source === null ? [] : [[["show", source]] as const, [["guard", "--log", source]] as const]),
        [["forget", sessionId, "--yes"]],
        [["forget", sessionId, "--undo"]],
      ];
      for (const [number, [argv, input]] of commands.entries())
        if ((number + index) % everyNth === 0) await run(argv, input);
    }
    for (const { id } of healthy)
      if (!(await list()).some(({ sessionId }) => sessionId === id))
        wrong.push(`${id} is not listed any more`);
  } finally {
    rmSync(world.root, { recursive: true, force: true });
  }
  return wrong;
}

/** Also what was caught and told as a problem: a session that makes the program stumble hides what it holds. */
function isBug({ code, err }: Answer): boolean {
  return code === BUG_EXIT_CODE || /\b(?:Range|Type|Reference|Syntax)Error\b/.test(err);
}
