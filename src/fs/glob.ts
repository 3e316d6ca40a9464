// Paths as people name them: `auth.ts`, `src/auth.ts` (the end of a path), `src/*.ts`, `**/api/**` (a glob).

/** Whether a path matches. Case counts only if the pattern has a capital letter. Backslashes are slashes. */
export function matchesPath(pattern: string, path: string): boolean {
  return withoutBraces(pattern).some((one) => matchesOne(one, path));
}

function matchesOne(pattern: string, path: string): boolean {
  const { glob, given } = comparable(pattern, path);
  if (!isGlob(glob)) return glob !== "" && (given === glob || given.endsWith(`/${glob}`));
  if (matchParts(glob.split("/"), given.split("/"))) return true;
  // A glob that does not start at the root may start anywhere.
  return !glob.startsWith("/") && matchParts(["**", ...glob.split("/")], given.split("/"));
}

/** Whether a project matches: by its folder's name, the end of its path, a glob, or a folder above it. */
export function matchesProject(pattern: string, path: string): boolean {
  if (matchesPath(pattern, path)) return true;
  const { glob, given } = comparable(pattern, path);
  return glob.startsWith("/") && !isGlob(glob) && given.startsWith(`${glob}/`);
}

/** Expands `*.{ts,tsx}` to two patterns. If there would be more than a few dozen, braces are taken literally. */
export function withoutBraces(pattern: string): readonly string[] {
  let found = [pattern];
  while (found.some((one) => braces.test(one))) {
    const more = found.flatMap((one) => {
      const [all, choices] = braces.exec(one) ?? [];
      if (all === undefined || choices === undefined) return [one];
      return choices.split(",").map((choice) => one.replace(all, () => choice));
    });
    if (more.length > MAX_ALTERNATIVES) break;
    found = more;
  }
  return found;
}

const braces = /\{([^{}]*,[^{}]*)\}/;

const MAX_ALTERNATIVES = 64;

function comparable(pattern: string, path: string): { readonly glob: string; readonly given: string } {
  // The lookbehind keeps a long run from being tried at each of its characters.
  const clean = (text: string): string => text.replaceAll("\\", "/").replace(/(?<=[^/]|^\/)\/+$/, "");
  const glob = clean(pattern).replace(/^\.\//, "");
  const given = clean(path);
  return glob === glob.toLowerCase() ? { glob, given: given.toLowerCase() } : { glob, given };
}

function isGlob(pattern: string): boolean {
  return /[*?]/.test(pattern);
}

/** `**` matches any number of parts. Linear in practice, quadratic at worst. */
function matchParts(pattern: readonly string[], parts: readonly string[]): boolean {
  return matchSequence(
    pattern,
    parts,
    (part) => part === "**",
    (glob, part) =>
      matchSequence(
        [...glob],
        [...part],
        (c) => c === "*",
        (c, d) => c === "?" || c === d,
      ),
  );
}

/**
 * Matches a sequence with wildcards without recursion: on a mismatch it goes back to the last wildcard and lets it take
 * one more item. Earlier wildcards never have to be tried again.
 */
function matchSequence(
  pattern: readonly string[],
  items: readonly string[],
  isWild: (step: string) => boolean,
  matches: (step: string, item: string) => boolean,
): boolean {
  let p = 0;
  let i = 0;
  let wildAt = -1;
  let takenTo = 0;
  while (i < items.length) {
    const step = pattern[p];
    const item = items[i] ?? "";
    if (step !== undefined && isWild(step)) {
      wildAt = p++;
      takenTo = i;
    } else if (step !== undefined && matches(step, item)) {
      p++;
      i++;
    } else if (wildAt !== -1) {
      p = wildAt + 1;
      i = ++takenTo;
    } else return false;
  }
  while (p < pattern.length && isWild(pattern[p] ?? "")) p++;
  return p === pattern.length;
}
