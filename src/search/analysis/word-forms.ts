/**
 * Tells of most words, by their first and last letter and their length, that they are not in a list: so no string is
 * made of their letters to look them up.
 */
export interface WordForms {
  mayHave(letters: Uint8Array, length: number): boolean;
}

const LETTERS = 26;
const LOWER_A = 97;
/** Longer words are as long as this. */
const MAX_LENGTH = 15;

/** Of words of the letters a to z. */
export function createWordForms(words: Iterable<string>): WordForms {
  /** Lengths as bits. */
  const lengths = new Uint16Array(LETTERS * LETTERS);
  for (const word of words) {
    const form = formOf(word.charCodeAt(0), word.charCodeAt(word.length - 1));
    lengths[form] = (lengths[form] ?? 0) | (1 << Math.min(word.length, MAX_LENGTH));
  }
  return {
    mayHave(letters, length) {
      const form = formOf(letters[0] ?? 0, letters[length - 1] ?? 0);
      return (((lengths[form] ?? 0) >>> Math.min(length, MAX_LENGTH)) & 1) === 1;
    },
  };
}

function formOf(first: number, last: number): number {
  return (first - LOWER_A) * LETTERS + last - LOWER_A;
}

export function lettersToString(letters: Uint8Array, length: number): string {
  let text = "";
  for (let index = 0; index < length; index++) text += String.fromCharCode(letters[index] ?? 0);
  return text;
}

/** Into memory that has room for them; how many there are. */
export function writeLetters(to: Uint8Array, word: string): number {
  for (let index = 0; index < word.length; index++) to[index] = word.charCodeAt(index);
  return word.length;
}
