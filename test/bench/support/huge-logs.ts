import { Buffer } from "node:buffer";
import { closeSync, mkdirSync, openSync, utimesSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { alphabets, createSeededRandom } from "../../support/seeded-random.ts";
import { createWords } from "./lifelike-words.ts";

/** What the one long line of a log holds. */
export type LongContent = "text" | "image";

export const LONG_CALL = "toolu_01LongLine0000000000000";

const MEBIBYTE = 1024 * 1024;

/**
 * Writes a Claude Code log of a few lines, one of them about as long as asked: the result of a tool, as text (all
 * in the result) or as an image (half in the result, half in the copy that the agent keeps of it). The same seed
 * gives the same bytes.
 */
export function writeLongLine(path: string, bytes: number, seed: number, content: LongContent): void {
  const sessionId = path.replace(/^.*\//, "").replace(/\.jsonl$/, "");
  const cwd = "/home/ana/shop";
  mkdirSync(dirname(path), { recursive: true });
  const file = openSync(path, "w");
  const put = (text: string): void => void writeSync(file, Buffer.from(text));
  let parent: string | null = null;
  let count = 0;
  const envelope = (type: string, rest: object): string => {
    count++;
    const uuid = `00000000-0000-4000-9000-${String(count).padStart(12, "0")}`;
    const timestamp = new Date(Date.UTC(2026, 0, 1, 8, count)).toISOString();
    const line = JSON.stringify({
      parentUuid: parent,
      isSidechain: false,
      userType: "external",
      cwd,
      sessionId,
      version: "2.1.56",
      gitBranch: "main",
      type,
      ...rest,
      uuid,
      timestamp,
    });
    parent = uuid;
    return line;
  };
  const reply = (block: object): object => ({
    message: { model: "claude-opus-4-7", id: "msg_1", type: "message", role: "assistant", content: [block] },
  });
  const say = (text: string): void => {
    put(`${envelope("user", { message: { role: "user", content: text } })}\n`);
    put(`${envelope("assistant", reply({ type: "text", text: `Done: ${text}` }))}\n`);
  };
  say("Read the whole trace of the quartz pump.");
  const input = { file_path: `${cwd}/trace.log` };
  put(`${envelope("assistant", reply({ type: "tool_use", id: LONG_CALL, name: "Read", input }))}\n`);
  const HOLE = "@@hole@@";
  const source = { type: "base64", media_type: "image/png", data: HOLE };
  const result = content === "text" ? HOLE : [{ type: "image", source }];
  const line = envelope("user", {
    message: {
      role: "user",
      content: [{ tool_use_id: LONG_CALL, type: "tool_result", content: result }],
    },
    toolUseResult:
      content === "text"
        ? { type: "text", file: { filePath: input.file_path, numLines: 1, startLine: 1 } }
        : { type: "image", file: { base64: HOLE, type: "image/png", originalSize: bytes } },
  });
  const around = line.split(HOLE);
  const blocks = createBlocks(seed, content);
  for (const [at, part] of around.entries()) {
    put(part);
    if (at === around.length - 1) break;
    // Each hole is filled alike: the copy of an image has the same base64.
    let left = Math.floor(bytes / (around.length - 1));
    for (let block = 0; left > 0; block++) {
      const text = blocks(block);
      put(left >= text.length ? text : content === "image" ? text.slice(0, left - (left % 4)) : "");
      left -= text.length;
    }
  }
  put("\n");
  say("What did the marmalade sensor say at its end?");
  closeSync(file);
  utimesSync(path, Date.UTC(2026, 0, 1) / 1000, Date.UTC(2026, 0, 1) / 1000);
}

/** To think of more words than these takes long. */
const DIFFERENT_BLOCKS = 16;

/** Blocks of about a mebibyte of the inside of a JSON string, ASCII or not, whole characters and escapes. */
function createBlocks(seed: number, content: LongContent): (number: number) => string {
  const made: string[] = [];
  const make = (number: number): string => {
    const { int, chars } = createSeededRandom(seed + number);
    if (content === "image") return chars(MEBIBYTE, alphabets.base64);
    const words = createWords(() => int(2 ** 32) / 2 ** 32);
    let text = "";
    while (text.length < MEBIBYTE) text += JSON.stringify(`${words.code(40)}\n`).slice(1, -1);
    return text;
  };
  return (number) => {
    made[number % DIFFERENT_BLOCKS] ??= make(number % DIFFERENT_BLOCKS);
    return made[number % DIFFERENT_BLOCKS] ?? "";
  };
}
