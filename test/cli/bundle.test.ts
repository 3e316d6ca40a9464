import { cpSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { run } from "../../src/cli/run.ts";
import { createRedactor } from "../../src/redact/redact.ts";
import { makeWorld, type TestWorld } from "../support/make-world.ts";
import { runBundle } from "../support/run-bundle.ts";
import { loadSampleSet } from "../support/secret-samples.ts";

/*
 * The bundle says what the sources say. The other tests prove the sources; a bundle that was read as latin1 once masked
 * wrongly while all of them passed.
 */

interface Answer {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

async function answers(args: readonly string[], world: TestWorld): Promise<readonly [Answer, Answer]> {
  const before = { out: world.out().length, err: world.err().length };
  const code = await run(args, world);
  const ours = { code, out: world.out().slice(before.out), err: world.err().slice(before.err) };
  const bundled = await runBundle(args, { home: world.home, folder: world.folder });
  return [lasting(ours), lasting(bundled)];
}

/** Without what differs from one run to the next. */
function lasting({ code, out, err }: Answer): Answer {
  return { code, out: out.replace(/"tookMs":\s*\d+/g, "").replace(/"indexedAt":\s*"[^"]+"/g, ""), err };
}

describe("the bundle", () => {
  test.each(["dev", "held-out"] as const)("masks the %s set as the sources do", async (set) => {
    const world = makeWorld({ nowMs: Date.now() });
    const { withSecrets, lookAlikes } = loadSampleSet(set);
    const samples = [...withSecrets, ...lookAlikes];
    const id = "0b8ec0de-0000-4000-8000-000000000001";
    const log = samples.map(({ text }, i) =>
      JSON.stringify({
        type: "user",
        uuid: `u${i}`,
        parentUuid: i === 0 ? null : `u${i - 1}`,
        sessionId: id,
        cwd: "/x",
        timestamp: "2026-11-16T08:00:00.000Z",
        message: { role: "user", content: `say ${text}` },
      }),
    );
    const folder = join(world.home, ".claude/projects/-x");
    mkdirSync(folder, { recursive: true });
    const path = join(folder, `${id}.jsonl`);
    writeFileSync(path, `${log.join("\n")}\n`);
    utimesSync(path, 1_760_000_000, 1_760_000_000);
    const [ours, bundled] = await answers(["export", id, "--format", "json"], world);
    expect(bundled).toEqual(ours);
    expect(bundled.code).toBe(0);
    const { find } = createRedactor();
    for (const { text, secrets } of withSecrets) {
      const findings = find(text);
      for (const { start, end } of secrets) {
        const secret = text.slice(start, end);
        const isCovered = findings.some((finding) => finding.start <= start && finding.end >= end);
        if (isCovered && secret.length >= 16)
          expect(bundled.out).not.toContain(JSON.stringify(secret).slice(1, -1));
      }
    }
  });

  test.each([
    [["search", "token", "refresh"]],
    [["search", "refrsh", "--json"]],
    [["search", "zuzuzuzu"]],
    [["list", "--json"]],
    [["show", "87f01b2f", "--json"]],
    [["show", "87f01b2f", "--turns", "1-2"]],
    [["grep", "-F", "token", "-C1"]],
    [["files", "src/auth.ts"]],
    [["pending", "--json"]],
    [["summary", "87f01b2f"]],
    [["help", "--json"]],
    [["show", "no-such-session", "--json"]],
  ])("answers %j as the sources do", async (args) => {
    const world = makeWorld({ nowMs: Date.now() });
    cpSync(fileURLToPath(new URL("../../fixtures/demo", import.meta.url)), world.home, { recursive: true });
    // Nobody works on them now.
    for (const path of readdirSync(world.home, { recursive: true, encoding: "utf8" }))
      if (/\.jsonl?$/.test(path)) utimesSync(join(world.home, path), 1_760_000_000, 1_760_000_000);
    // Both find the index up to date.
    await run(["index"], makeSame(world));
    const [ours, bundled] = await answers(args, world);
    expect(bundled).toEqual(ours);
  });
});

/** The same world, whose output nobody hears. */
function makeSame(world: TestWorld): TestWorld {
  const unheard = { ...world.stdout, write: () => {} };
  return { ...world, stdout: unheard, stderr: unheard };
}
