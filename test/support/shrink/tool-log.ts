import fs from "node:fs";
import { dirname, join } from "node:path";
import { claudeFolder } from "../archive/log-home.ts";

export const TOOL_SESSION = "0a1b2c3d-1111-4222-8333-444455556666";
export const PI_SESSION = "019b2c6e-7f00-7aaa-8bbb-1234567890ff";

/** Numbers and escapes that no round trip through a parser leaves as they are. */
const ODD = '"odd":12345678901234567890,"one":1.0,"esc":"\\u00e9\\/"';

export interface ToolCallMade {
  readonly id: string;
  readonly tool: string;
  readonly input: object;
  readonly result: unknown;
  readonly copy?: unknown;
}

let counter = 0;

/** A call with a result of that many bytes. */
export function callOf(tool: string, bytes: number, input: object = {}, id?: string): ToolCallMade {
  const text = `${tool} ${'x\u00e9 "quoted"\n'.repeat(Math.ceil(bytes / 13))}`.slice(0, bytes);
  return {
    id: id ?? `toolu_${++counter}`,
    tool,
    input,
    result: text,
    copy: { stdout: text, filenames: ["a", "b"] },
  };
}

/** A log of Claude Code with these calls, each line with spellings that a rewriter must leave alone. */
export function toolLog(
  calls: readonly ToolCallMade[],
  cwd = "/home/ana/shop",
  id: string = TOOL_SESSION,
): string {
  const lines: string[] = [];
  const line = (rest: string): void => {
    const n = lines.length;
    lines.push(
      `{"parentUuid":${n === 0 ? null : `"u-${n - 1}"`},"isSidechain":false,"cwd":${JSON.stringify(cwd)},` +
        `"sessionId":"${id}","version":"2.1.150","uuid":"u-${n}","timestamp":"2026-10-20T08:00:0${n % 10}.000Z",${ODD},${rest}}`,
    );
  };
  line('"type":"user","message":{"role":"user","content":"Read what there is"}');
  for (const { id: call, tool, input, result, copy } of calls) {
    line(
      `"type":"assistant","message":{"id":"msg_${call}","role":"assistant","model":"claude-x","content":[{"type":"tool_use",` +
        `"id":"${call}","name":"${tool}","input":${JSON.stringify(input)}}]}`,
    );
    line(
      `"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"${call}","content":` +
        `${JSON.stringify(result)}}]}${copy === undefined ? "" : `,"toolUseResult":${JSON.stringify(copy)}`}`,
    );
  }
  line(
    '"type":"assistant","message":{"id":"msg_end","role":"assistant","content":[{"type":"text","text":"Done."}]}',
  );
  lines.push(`{"type":"last-prompt","lastPrompt":"Read what there is","sessionId":"${id}"}`);
  return lines.map((each) => `${each}\n`).join("");
}

/** A log of Pi with a long result and an image. */
export function piToolLog(cwd = "/home/ana/shop", bytes = 3_000): string {
  const text = JSON.stringify("p\u00e9 ".repeat(bytes / 4));
  return (
    `{"type":"session","version":3,"id":"${PI_SESSION}","timestamp":"2026-10-20T08:00:00.000Z","cwd":${JSON.stringify(cwd)},${ODD}}\n` +
    `{"type":"message","id":"a1","parentId":null,"timestamp":"2026-10-20T08:00:01.000Z","message":{"role":"user","content":"Look"}}\n` +
    `{"type":"message","id":"a2","parentId":"a1","timestamp":"2026-10-20T08:00:02.000Z","message":{"role":"assistant","content":` +
    `[{"type":"toolCall","id":"c1","name":"read","arguments":{"path":"a.txt"}}]}}\n` +
    `{"type":"message","id":"a3","parentId":"a2","timestamp":"2026-10-20T08:00:03.000Z","message":{"role":"toolResult","toolCallId":"c1",` +
    `"toolName":"read","content":[{"type":"text","text":${text}},{"type":"image","data":"${"iVBORw0KGgo".repeat(200)}","mimeType":"image/png"}],` +
    `"isError":false,"details":{"big":${text}}}}\n` +
    `{"type":"message","id":"a4","parentId":"a3","timestamp":"2026-10-20T08:00:04.000Z","message":{"role":"bashExecution",` +
    `"command":"ls","output":${text},"exitCode":0}}\n`
  );
}

/** Puts a log where Claude Code has it. Hours old, so that nobody takes it for one in use. */
export function putToolLog(home: string, text: string | Uint8Array, mode = 0o600, mtimeMs?: number): string {
  return put(
    join(home, ".claude", "projects", claudeFolder("/home/ana/shop"), `${TOOL_SESSION}.jsonl`),
    text,
    mode,
    mtimeMs,
  );
}

export function putPiLog(home: string, text: string | Uint8Array, mode = 0o644, mtimeMs?: number): string {
  const name = `2026-10-20T08-00-00-000Z_${PI_SESSION}.jsonl`;
  return put(join(home, ".pi", "agent", "sessions", "--home-ana-shop--", name), text, mode, mtimeMs);
}

function put(
  path: string,
  text: string | Uint8Array,
  mode: number,
  mtimeMs = Date.UTC(2026, 9, 20, 8) + 321,
): string {
  fs.mkdirSync(dirname(path), { recursive: true });
  fs.writeFileSync(path, text);
  fs.chmodSync(path, mode);
  fs.utimesSync(path, mtimeMs / 1000, mtimeMs / 1000 + 5e-7);
  return path;
}
