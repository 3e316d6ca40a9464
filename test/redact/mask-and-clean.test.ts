import { expect, test } from "vitest";
import { maskAndClean } from "../../src/redact/mask.ts";
import { redact } from "../../src/redact/redact.ts";

/** Put together here, so that no scanner takes this file for a leak. */
const secret = `ghp_${"a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7r8"}`;
const masked = "[masked: github-token ghp_…]";

test.each([
  ["stands alone", secret, masked],
  ["is split by a sequence", `${secret.slice(0, 20)}\x1b[0m${secret.slice(20)}`, masked],
  ["is split by a mark that nobody sees", `${secret.slice(0, 20)}\u200b${secret.slice(20)}`, masked],
  ["follows a word, with only a sequence between them", `title\x1b[0m${secret}`, `title${masked}`],
  ["follows a word, with only a mark between them", `title\u202e${secret}`, `title${masked}`],
  ["precedes a word, with only a mark between them", `${secret}\u2066title`, masked],
])("maskAndClean() masks a secret that %s", (_what, text, expected) => {
  expect(maskAndClean({ text, list: [text] }, redact)).toEqual({ text: expected, list: [expected] });
});
