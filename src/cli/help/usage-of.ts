import type { Positional } from "../command.ts";

/** The usage line of a command: `sessions archive [selector…] [flags]`. */
export function usageOf(name: string, positionals: readonly Positional[]): string {
  const parts = positionals.map((positional) => {
    const words = positional.choices?.join("|") ?? positional.name;
    const text = positional.many === true ? `${words}…` : words;
    return positional.optional === true ? `[${text}]` : `<${text}>`;
  });
  return ["sessions", name, ...parts, "[flags]"].join(" ");
}
