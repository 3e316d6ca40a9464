import { expect, test } from "vitest";
import { classifyText, releaseText } from "../../../src/search/analysis/characters.ts";
import { createTokenCache } from "../../../src/search/analysis/token-cache.ts";

test("a token cache makes each token once, and returns the right one among hundreds of thousands", () => {
  let made = 0;
  const cache = createTokenCache((raw) => {
    made++;
    return { raw, tail: undefined };
  });
  const words = Array.from({ length: 50_000 }, (_, i) => (i % 2 === 0 ? `w${i}` : `someLongerWord${i}é`));
  const look = (word: string): void => {
    const text = classifyText(word);
    if (cache.at(text, 0, word.length).raw !== word) throw new Error(`wrong token for ${word}`);
    releaseText(text);
  };
  for (const word of [...words, ...words]) look(word);
  expect(made).toBe(50_000);
  for (let i = 0; i < 200_000; i++) look(`other${i}`);
  for (const word of words) look(word);
});

test("a token cache does not keep tokens longer than 64 characters", () => {
  let made = 0;
  const cache = createTokenCache(() => ({ made: ++made, tail: undefined }));
  for (const length of [64, 64, 65, 65]) cache.at(classifyText("x".repeat(length)), 0, length);
  expect(made).toBe(3);
});
