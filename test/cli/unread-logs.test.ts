import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { run } from "../../src/cli/run.ts";
import { makeWorld, type TestWorld } from "../support/make-world.ts";

const NOW = Date.UTC(2026, 10, 16, 12);
const PROJECTS = ".claude/projects";

function put(world: TestWorld, path: string, content: string, atMs = NOW - 3_600_000): string {
  const whole = join(world.home, path);
  mkdirSync(join(whole, ".."), { recursive: true });
  writeFileSync(whole, content);
  utimesSync(whole, atMs / 1000, atMs / 1000);
  return whole;
}

function line(id: string, cwd: string, text: string): string {
  const message = { role: "user", content: text };
  const at = "2026-10-15T08:00:00.000Z";
  return `${JSON.stringify({ type: "user", uuid: `${text}1`, parentUuid: null, sessionId: id, cwd, timestamp: at, message })}\n`;
}

async function ask(world: TestWorld, ...argv: string[]): Promise<string> {
  const before = world.out().length;
  await run(argv, world);
  return world.out().slice(before);
}

test("a log of which no line can be read is named, by every answer and by doctor, until it can be read", async () => {
  const world = makeWorld({ nowMs: NOW });
  const id = "44444444-0000-4000-8000-00000000000d";
  put(
    world,
    `${PROJECTS}/-a/11111111-0000-4000-8000-00000000000a.jsonl`,
    line("11111111-0000-4000-8000-00000000000a", "/a", "whole"),
  );
  const half = put(world, `${PROJECTS}/-a/${id}.jsonl`, '{"type":"us');
  const zeros = put(world, `${PROJECTS}/-a/55555555-0000-4000-8000-00000000000d.jsonl`, "\0".repeat(4096));
  for (const _ of ["first", "unchanged", "unchanged again"]) {
    expect(JSON.parse(await ask(world, "list", "--json"))).toMatchObject({ coverage: { problems: 2 } });
    expect(JSON.parse(await ask(world, "search", "whole", "--json"))).toMatchObject({
      coverage: { problems: 2 },
    });
  }
  await ask(world, "doctor");
  expect(world.err()).toContain(`${half}:1: no line of it can be read, so it is in no list`);
  expect(world.err()).toContain(`${zeros}:1: no line of it can be read`);
  put(world, `${PROJECTS}/-a/${id}.jsonl`, line(id, "/a", "mended"), NOW - 60_000);
  expect(JSON.parse(await ask(world, "list", "--json"))).toMatchObject({ coverage: { problems: 1 } });
});

test("a copy in an excluded project is read neither by id nor as the newest, also if it leads", async () => {
  const world = makeWorld({ nowMs: NOW });
  const id = "22222222-0000-4000-8000-00000000000b";
  put(world, `${PROJECTS}/-pub/${id}.jsonl`, line(id, "/home/ana/pub", "zebra"), NOW - 7_200_000);
  put(world, `${PROJECTS}/-priv/${id}.jsonl`, line(id, "/home/ana/priv", "giraffe"));
  put(world, ".sessions/config.json", '{"exclude":["/home/ana/priv"]}');
  const site = join(world.root, "site");
  const answers = [
    await ask(world, "show", id, "--full"),
    await ask(world, "show", "last", "--everywhere", "--full"),
    await ask(world, "export", id),
    await ask(world, "summary", id),
    await ask(world, "list", "--json"),
    await ask(world, "grep", "giraffe|zebra"),
  ];
  for (const answer of answers) {
    expect(answer).toContain("zebra");
    expect(answer).not.toContain("giraffe");
  }
  await ask(world, "export", "--site", site);
  const pages = readdirSync(join(site, "sessions")).map((name) =>
    readFileSync(join(site, "sessions", name), "utf8"),
  );
  expect(pages.join("")).toContain("zebra");
  expect(pages.join("")).not.toContain("giraffe");
});
