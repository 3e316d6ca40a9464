import { expect, test } from "vitest";
import { readContentText } from "../../src/agents/entry-body.ts";

test.each<[unknown, string, number, number]>([
  ["plain", "plain", 5, 0],
  [{ type: "input_text", text: "one" }, "one", 3, 0],
  [[{ type: "text", text: "one" }, "two", { type: "Text", text: "three" }], "one\ntwo\nthree", 13, 0],
  [
    [
      { type: "text", text: "see" },
      { type: "image", data: "AAAA", mimeType: "image/png" },
    ],
    "see",
    7,
    1,
  ],
  [[{ type: "image", source: { type: "base64", data: "AAAAAA" } }], "", 6, 1],
  [[{ type: "input_image", image_url: "data:image/png;base64,AA" }], "", 24, 1],
  [[{ type: "input_image", image_url: null }], "", 0, 0],
  [[{ type: "text", text: 7 }, null, 4, []], "", 0, 0],
  [undefined, "", 0, 0],
  [7, "", 0, 0],
])("readContentText(%j) is %j, of %i characters, with %i images", (content, text, chars, images) => {
  expect(readContentText(content)).toEqual({ text, chars, images });
});
