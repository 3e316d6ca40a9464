/** Random values that are the same in every run: nothing that looks like a key has to stand in the repository. */
export interface SeededRandom {
  /** A whole number from 0 up to, not including, `below`. */
  int(below: number): number;
  pick<T>(items: readonly T[]): T;
  /** `length` characters of an alphabet. */
  chars(length: number, alphabet: string): string;
}

const LOWER = "abcdefghijklmnopqrstuvwxyz";
const DIGITS = "0123456789";
const UPPER = LOWER.toUpperCase();

export const alphabets: Readonly<
  Record<"digits" | "hex" | "base32" | "base36" | "letters" | "base62" | "base64" | "base64url", string>
> = {
  digits: DIGITS,
  hex: `${DIGITS}abcdef`,
  base32: `${LOWER}234567`,
  base36: LOWER + DIGITS,
  letters: UPPER + LOWER,
  base62: UPPER + LOWER + DIGITS,
  base64: `${UPPER}${LOWER}${DIGITS}+/`,
  base64url: `${UPPER}${LOWER}${DIGITS}-_`,
};

/** mulberry32: small, and good enough to draw keys for tests. */
export function createSeededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const int = (below: number): number => Math.floor(next() * below);
  return {
    int,
    pick: (items) => {
      const item = items[int(items.length)];
      if (item === undefined) throw new RangeError("Cannot pick from an empty list");
      return item;
    },
    chars: (length, alphabet) => {
      let text = "";
      for (let count = 0; count < length; count++) text += alphabet.charAt(int(alphabet.length));
      return text;
    },
  };
}
