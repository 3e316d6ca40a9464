type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Whether to print in colour where no flag says so: NO_COLOR (any value but an empty one) turns it off, then
 * FORCE_COLOR turns it on (0 and false: off), and else a terminal that can do it must be there.
 */
export function wantsColor(isTerminal: boolean | undefined, variables: Variables): boolean {
  if ((variables.NO_COLOR ?? "") !== "") return false;
  const force = variables.FORCE_COLOR;
  if (force !== undefined) return force !== "0" && force !== "false";
  return isTerminal === true && variables.TERM !== "dumb";
}
