import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { run } from "../../src/cli/run.ts";
import { skillText } from "../../src/integrations/skill.ts";
import { makeWorld } from "../support/make-world.ts";

const TOLD = "11111111-1111-4111-8111-111111111111";
const ASKING = "22222222-2222-4222-8222-222222222222";

test("an agent's search does not become the best hit of the next one", async () => {
  const world = makeWorld();
  const folder = join(world.home, ".claude", "projects", "-work-shop");
  fs.mkdirSync(folder, { recursive: true });
  const ask = async (...argv: readonly string[]): Promise<string> => {
    const before = world.out().length;
    await run(argv, world);
    return world.out().slice(before);
  };
  fs.writeFileSync(
    join(folder, `${TOLD}.jsonl`),
    log(TOLD, [user("Make the zebra crossing blink"), reply("The zebra crossing blinks now.")]),
  );
  const answer = await ask("search", "zebra crossing", "--json");
  const shown = await ask("show", TOLD, "--turns", "1-1", "--budget", "1500");
  const recalled = "[sessions recall] Quoted: zebra crossing";
  fs.writeFileSync(
    join(folder, `${ASKING}.jsonl`),
    log(ASKING, [
      user("What did we do about the lights?"),
      ...call("Bash", { command: 'sessions search "zebra crossing" --json --limit 5' }, answer),
      ...call("Bash", { command: `cd /x && sessions show ${TOLD} --turns 1-1 | head -40` }, shown),
      ...call(
        "Read",
        { file_path: "/h/.claude/skills/session-finder/SKILL.md" },
        `${skillText} zebra crossing`,
      ),
      { type: "attachment", attachment: { type: "hook_additional_context", content: [recalled] } },
      {
        type: "system",
        subtype: "stop_hook_summary",
        hookAdditionalContext: recalled,
        content: recalled,
      },
      user("<bash-input>sessions grep 'zebra crossing'</bash-input>"),
      user("<bash-stdout>zebra crossing</bash-stdout><bash-stderr></bash-stderr>"),
      reply("It was made to flash."),
    ]),
  );
  const found = JSON.parse(await ask("search", "zebra crossing", "--json"));
  expect(found.coverage.sessions).toBe(2);
  expect(found.hits.map((hit: { sessionId: string }) => hit.sessionId)).toEqual([TOLD]);
  // What was truly said in that session is found as ever, and an exact scan still sees all of it.
  const lights = JSON.parse(await ask("search", "lights flash", "--json"));
  expect(lights.hits.map((hit: { sessionId: string }) => hit.sessionId)).toEqual([ASKING]);
  expect(await ask("grep", "zebra crossing", "-l")).toContain(ASKING);
});

function user(text: string): object {
  return { type: "user", message: { role: "user", content: text } };
}

function reply(text: string): object {
  return { type: "assistant", message: { role: "assistant", content: [{ type: "text", text }] } };
}

let calls = 0;

function call(name: string, input: object, output: string): readonly object[] {
  const id = `toolu_${++calls}`;
  return [
    { type: "assistant", message: { role: "assistant", content: [{ type: "tool_use", id, name, input }] } },
    {
      type: "user",
      message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: output }] },
    },
  ];
}

function log(sessionId: string, lines: readonly object[]): string {
  return lines
    .map((line, at) => {
      const place = { uuid: `${sessionId}-${at}`, parentUuid: at === 0 ? null : `${sessionId}-${at - 1}` };
      const timestamp = new Date(Date.UTC(2025, 9, 12, 10, at)).toISOString();
      return `${JSON.stringify({ sessionId, cwd: "/work/shop", ...place, timestamp, ...line })}\n`;
    })
    .join("");
}
