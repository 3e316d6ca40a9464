import { callPlaces, recordPlaces } from "./code-places.ts";
import { commandPlaces } from "./command-places.ts";
import type { Place } from "./place.ts";
import type { Sign } from "./scan-signs.ts";
import { readSecretName, type SecretName } from "./secret-name.ts";
import { isPlaceholder, isSecretValue } from "./secret-value.ts";

const NO_PASSWORD =
  /^(?:password|passwd|pass|secret|token|string|user|admin|test|null|none|true|false|localhost)$/i;

/** Secrets at the fixed places of commands, calls and records. */
export const placeSigns: readonly Sign[] = [...commandPlaces, ...callPlaces, ...recordPlaces].map(
  (entry) => ({
    sign: entry.sign,
    ...(entry.before === undefined ? {} : { before: entry.before }),
    find: (text, at, found) => {
      entry.pattern.lastIndex = at;
      const match = entry.pattern.exec(text);
      if (match === null) return at;
      const named = match.groups?.name;
      const range = match.indices
        ?.slice(named === undefined ? 1 : 2)
        .find((indices) => indices !== undefined);
      if (range === undefined) return at;
      const [start, end] = range;
      const secret = text.slice(start, end);
      const name = named === undefined ? undefined : readSecretName(named.replaceAll(" ", "_"));
      if (
        named === undefined ? !isSecret(entry, secret) : name === undefined || !isNamed(name, secret, start)
      )
        return at;
      found.push({ kind: name?.kind ?? entry.kind, start, end });
      return at;
    },
  }),
);

function isNamed(name: SecretName, text: string, start: number): boolean {
  return isSecretValue(
    { ...name, isSetting: true },
    { text, start, end: start + text.length, quote: '"' },
    "",
  );
}

function isSecret({ confirm, isWords }: Place, text: string): boolean {
  if (isWords === true) return confirm?.(text) === true;
  if (isPlaceholder(text) || NO_PASSWORD.test(text)) return false;
  return confirm === undefined ? !/\s/.test(text) || /\d/.test(text) : confirm(text);
}
