/**
 * Messages have no times, but the prompts that the user typed are logged with theirs. A time is given
 * only where it is certain which prompt a message is: the one on the line before, or the only one with
 * that text. After a compaction the prompts of messages that are gone are still there.
 */
export interface PromptTimes {
  prompt(text: string, at: number): void;
  /** The time of a message of the user; to be asked for each of them in turn. */
  timeOf(text: string): number | undefined;
  save(): SavedPrompts;
}

interface LastPrompt {
  readonly key: string;
  readonly at: number;
}

/** What must be known to go on later. */
export interface SavedPrompts {
  readonly times: readonly (readonly [string, readonly number[]])[];
  readonly last?: LastPrompt | undefined;
}

/** Enough to tell prompts apart. */
const KEY_CHARS = 400;

export function createPromptTimes(before: SavedPrompts): PromptTimes {
  const times = new Map(before.times.map(([key, known]) => [key, [...known]]));
  let { last } = before;
  const keyOf = (text: string): string => text.trim().slice(0, KEY_CHARS);
  return {
    save: () => ({ times: [...times], last }),
    prompt(text, at) {
      const key = keyOf(text);
      const known = times.get(key);
      if (known === undefined) times.set(key, [at]);
      else known.push(at);
      last = { key, at };
    },
    timeOf(text) {
      const key = keyOf(text);
      const known = times.get(key) ?? [];
      const found = last?.key === key ? last.at : known.length === 1 ? known[0] : undefined;
      if (found !== undefined) known.splice(known.indexOf(found), 1);
      last = undefined;
      return found;
    },
  };
}
