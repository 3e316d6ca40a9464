import { createHash } from "node:crypto";
import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { LONG_CALL, writeLongLine } from "../bench/support/huge-logs.ts";
import { type BundleRun, runBundle } from "../support/run-bundle.ts";

const MEBIBYTE = 1024 * 1024;
const ID = "00000000-0000-4000-8000-00000000004b";

/** A text of 24 MB is 48 MB once it is decoded, since not all of it is Latin: more than the engine may have here. */
const LITTLE_MEMORY = "--max-old-space-size=44";

const sha256 = (path: string): string => createHash("sha256").update(fs.readFileSync(path)).digest("hex");

describe("a line of 24 MB", () => {
  test("goes through every command without being decoded whole, and comes back byte for byte", async () => {
    const home = fs.mkdtempSync(join(tmpdir(), "sessions-long-line-"));
    onTestFinished(() => fs.rmSync(home, { recursive: true, force: true }));
    const log = join(home, ".claude", "projects", "-home-ana-shop", `${ID}.jsonl`);
    writeLongLine(log, 24 * MEBIBYTE, 5, "text");
    const original = sha256(log);
    const run = async (...args: readonly string[]): Promise<BundleRun> => {
      const variables = { NODE_OPTIONS: LITTLE_MEMORY, DENO_V8_FLAGS: LITTLE_MEMORY };
      const done = await runBundle(args, { home, variables });
      expect({ args, code: done.code, signal: done.signal, err: done.err.slice(-500) }).toMatchObject({
        code: 0,
        signal: null,
      });
      return done;
    };
    const retrieved = async (name: string): Promise<string> => {
      const file = join(home, name);
      await run("retrieve", ID, LONG_CALL, "-o", file);
      return sha256(file);
    };

    await run("list");
    await run("show", ID);
    for (const format of ["md", "html", "json"]) await run("export", ID, "--format", format);
    const fromLog = await retrieved("from-log.txt");
    await run("compact", ID, "--dry");
    const flat = JSON.parse((await run("flatten", ID, "--json")).out);
    expect(flat).toMatchObject({ sessions: [{ blocks: 1 }] });
    expect(fs.statSync(log).size).toBeLessThan(MEBIBYTE);
    expect(await retrieved("from-sidecar.txt")).toBe(fromLog);
    await run("verify");
    await run("unflatten", ID);
    expect(sha256(log)).toBe(original);
    await run("restore", ID, "--generation", "1", "--to", join(home, "elsewhere"));
    const [restored = ""] = fs
      .readdirSync(join(home, "elsewhere"), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".jsonl"));
    expect(sha256(join(home, "elsewhere", restored))).toBe(original);
  });
});
