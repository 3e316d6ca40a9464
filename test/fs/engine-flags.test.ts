import { spawnSync } from "node:child_process";
import process from "node:process";
import { describe, expect, test } from "vitest";

const source = new URL("../../src/fs/engine-flags.ts", import.meta.url).href;
const own = Number.parseInt(process.versions.v8, 10);

/** What a process says that asks for a flag which no engine has, in these versions. */
function complaintOf(versions: readonly number[]): string {
  const script = `import(${JSON.stringify(source)}).then(({ setEngineFlags }) =>
    setEngineFlags(${JSON.stringify(versions)}, "--no-such-flag=1"))`;
  const { stderr, status } = spawnSync(process.execPath, ["--import", "tsx", "-e", script], {
    encoding: "utf8",
  });
  expect(status).toBe(0);
  return stderr;
}

// Deno has no loader for this, and sets no flags.
describe.skipIf(process.versions.deno !== undefined)("setEngineFlags()", () => {
  test("asks no engine for the flags of another one", () => {
    expect(complaintOf([own - 1, own + 1])).toBe("");
  });

  test("would be heard if it did", () => {
    expect(complaintOf([own])).toContain("--no-such-flag");
  });
});
