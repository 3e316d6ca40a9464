import fs from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { run } from "../../src/cli/run.ts";
import { makeWorld, type TestWorld } from "../support/make-world.ts";
import { DOT, pastedInClaude } from "../support/web/pasted-image.ts";

const at = "2026-10-20T08:30:00.000Z";

function put({ home }: TestWorld, place: string, lines: readonly object[]): void {
  const path = join(home, place);
  fs.mkdirSync(dirname(path), { recursive: true });
  fs.writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

async function exported(world: TestWorld, id: string): Promise<string> {
  expect(await run(["export", id, "--format", "html"], world)).toBe(0);
  return world.out();
}

const PI = "0197aaaa-0000-7000-8000-000000000001";
const CODEX = "019b2ea4-0000-7000-8000-000000000001";
const text = "What is wrong in this picture?";

/** One log of each agent that images can be pasted into, with the words of its own API. */
const logs: Readonly<
  Record<string, { readonly id: string; readonly place: string; readonly lines: readonly object[] }>
> = {
  claude: pastedInClaude(text, DOT),
  pi: {
    id: PI,
    place: `.pi/agent/sessions/--work--/2026-10-20T08-30-00-000Z_${PI}.jsonl`,
    lines: [
      { type: "session", version: 3, id: PI, timestamp: at, cwd: "/work" },
      {
        type: "message",
        id: "a",
        parentId: null,
        timestamp: at,
        message: {
          role: "user",
          content: [
            { type: "text", text },
            { type: "image", data: DOT, mimeType: "image/png" },
          ],
        },
      },
    ],
  },
  codex: {
    id: CODEX,
    place: `.codex/sessions/2026/10/20/rollout-2026-10-20T08-30-00-${CODEX}.jsonl`,
    lines: [
      { timestamp: at, type: "session_meta", payload: { id: CODEX, cwd: "/work" } },
      {
        timestamp: at,
        type: "response_item",
        payload: {
          type: "message",
          role: "user",
          content: [
            { type: "input_text", text },
            { type: "input_image", image_url: `data:image/png;base64,${DOT}` },
          ],
        },
      },
    ],
  },
};

describe("images that were pasted into a request", () => {
  test.each(Object.keys(logs))("of %s are in the exported page, as data", async (agent) => {
    const world = makeWorld();
    const { id = "", place = "", lines = [] } = logs[agent] ?? {};
    put(world, place, lines);
    const page = await exported(world, id);
    expect(page).toContain(text);
    expect(page).toContain(`src="data:image/png;base64,${DOT}"`);
    expect(page.match(/<img /g)).toHaveLength(1);
  });

  test.each([
    ["a document that could hold a script", "image/svg+xml", "PHN2Zy8+"],
    ["what is no base64", "image/png", '" onerror="alert(1)'],
  ])("%s is only counted", async (_, mediaType, data) => {
    const world = makeWorld();
    const { id, place, lines } = pastedInClaude(text, data, mediaType);
    put(world, place, lines);
    const page = await exported(world, id);
    expect(page).not.toContain("<img");
    expect(page).not.toContain("onerror");
    expect(page).toContain("1 image not shown");
  });

  test("are also there if only the archive has the log", async () => {
    const world = makeWorld();
    const { id, place, lines } = pastedInClaude(text, DOT);
    put(world, place, lines);
    await run(["archive"], world);
    fs.rmSync(join(world.home, place));
    expect(await exported(world, id)).toContain(`base64,${DOT}"`);
  });
});
