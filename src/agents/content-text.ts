import { isObject, type JsonObject } from "../jsonl/json-line.ts";
import { objectAt, stringAt } from "../jsonl/values.ts";

export interface ContentText {
  /** All texts, joined by line ends. */
  readonly text: string;
  /** Length of the texts and of the images' base64. */
  readonly chars: number;
  readonly images: number;
}

const NOTHING: ContentText = { text: "", chars: 0, images: 0 };

/** The text of a message's content: a string, a block, or a list of blocks and strings. */
export function readContentText(content: unknown): ContentText {
  if (typeof content === "string") return { text: content, chars: content.length, images: 0 };
  if (isObject(content)) return readContentText([content]);
  if (!Array.isArray(content)) return NOTHING;
  const texts: string[] = [];
  let imageChars = 0;
  let images = 0;
  for (const block of content) {
    if (typeof block === "string") texts.push(block);
    if (!isObject(block)) continue;
    const text = stringAt(block, "text");
    if (text !== undefined) texts.push(text);
    const data = imageData(block);
    if (data === undefined) continue;
    images++;
    imageChars += data.length;
  }
  const text = texts.join("\n");
  return { text, chars: text.length + imageChars, images };
}

/** Pi writes the base64 beside the type, Codex a data URL, others a source object. */
function imageData(block: JsonObject): string | undefined {
  if (block.type === "image")
    return stringAt(block, "data") ?? stringAt(objectAt(block, "source"), "data") ?? "";
  return block.type === "input_image" ? stringAt(block, "image_url") : undefined;
}
