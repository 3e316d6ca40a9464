import { agents } from "../agents/agents.ts";

/** Variables that name unusual places, for programs that start without them. */
export function placesIn(
  variables: Readonly<Record<string, string | undefined>>,
): readonly (readonly [name: string, value: string])[] {
  const names = ["SESSIONS_HOME", ...agents.flatMap(({ placeVariables }) => placeVariables)];
  return names.flatMap((name) => {
    const value = variables[name];
    return value === undefined || value === "" ? [] : [[name, value] as const];
  });
}
