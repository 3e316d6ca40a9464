import { agents } from "../agents/agents.ts";
import { encodeJson } from "../redact/clean-text.ts";
import { estimateJsonTokens, type FittedJson, fitJson } from "../render/agent/fit-json.ts";
import { quoteText } from "../render/agent/quote-text.ts";
import { shellQuote } from "../render/words.ts";
import type { Command, ParsedArguments } from "./command.ts";
import type { World } from "./world.ts";

/** Flags of commands whose answers agents read. */
export const agentFlags = {
  budget: {
    type: "number",
    placeholder: "TOKENS",
    description: "for agents: quote the answer and cut it to this many tokens (0: unquoted and uncut)",
  },
} as const;

/** The budget of an agent that does not set one. */
const DEFAULT_BUDGET = 1_500;

/** Output after this many tokens would be cut anyway: it is many times the largest context. */
const MAX_CHARS = 16 * 1024 * 1024;

/** The token budget of the answer; undefined: unlimited, unquoted. */
export function budgetOf(
  command: Pick<Command, "flags">,
  { flags }: ParsedArguments,
  { variables, stdout }: World,
): number | undefined {
  if (!("budget" in command.flags)) return undefined;
  if (typeof flags.budget === "number") return flags.budget === 0 ? undefined : flags.budget;
  const isAgent = agents
    .flatMap(({ childVariables = [] }) => childVariables)
    .some((name) => (variables[name] ?? "") !== "");
  return isAgent && !stdout.isTerminal && flags.batch !== true ? DEFAULT_BUDGET : undefined;
}

/** Runs a command and then prints its whole output, quoted and cut to the budget. */
export async function withinBudget(
  budget: number,
  name: string,
  argv: readonly string[],
  world: World,
  run: (world: World) => Promise<number>,
): Promise<number> {
  let text = "";
  const stdout = {
    ...world.stdout,
    isTerminal: false,
    columns: undefined,
    hasColor: false,
    write: (part: string) => {
      if (text.length < MAX_CHARS) text += part;
    },
  };
  const exitCode = await run({ ...world, stdout });
  if (text !== "") world.stdout.write(toAgent(text, budget, name, argv));
  return exitCode;
}

function toAgent(text: string, budget: number, name: string, argv: readonly string[]): string {
  const answer = parseObject(text);
  if (answer !== undefined) {
    const note = (fitted: FittedJson): object => ({
      ...fitted.value,
      cut: {
        budget,
        tokens: estimateJsonTokens(text),
        dropped: fitted.dropped,
        more: shellQuote(["sessions", name, ...argumentsForMore(fitted, argv, estimateJsonTokens(text))]),
      },
    });
    return `${encodeJson(fitJson(answer, budget, note))}\n`;
  }
  return quoteText(text, {
    budget,
    more: (tokens) => `\`${shellQuote(["sessions", name, ...withFlag(argv, "budget", tokens)])}\``,
  });
}

/** The arguments for more: the next page if the answer has pages, otherwise the same with a larger budget. */
function argumentsForMore(
  { dropped, value }: FittedJson,
  argv: readonly string[],
  tokens: number,
): readonly string[] {
  if (dropped.hits === undefined || !("hits" in value) || !Array.isArray(value.hits)) {
    return withFlag(argv, "budget", tokens);
  }
  const offset = "offset" in value && typeof value.offset === "number" ? value.offset : 0;
  return withFlag(argv, "offset", offset + value.hits.length);
}

function withFlag(argv: readonly string[], name: string, value: number): readonly string[] {
  const without = argv.filter(
    (arg, at) => arg !== `--${name}` && !arg.startsWith(`--${name}=`) && argv[at - 1] !== `--${name}`,
  );
  const end = without.indexOf("--");
  const at = end < 0 ? without.length : end;
  return [...without.slice(0, at), `--${name}`, String(value), ...without.slice(at)];
}

function parseObject(text: string): object | undefined {
  if (!text.startsWith("{")) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
