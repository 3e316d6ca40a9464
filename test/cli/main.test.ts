import { readFileSync, statSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { makeWorld } from "../support/make-world.ts";
import { bundle, runBundle } from "../support/run-bundle.ts";

const manifest: unknown = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));

describe("the bundled program", () => {
  test("can be started by its name", () => {
    expect(readFileSync(bundle, "utf8")).toMatch(/^#!\/usr\/bin\/env node\n/);
    expect(statSync(bundle).mode & 0o111).not.toBe(0);
  });

  test("prints its version", async () => {
    const { home } = makeWorld();
    const { out, ...rest } = await runBundle(["--version"], { home });
    expect(rest).toEqual({ code: 0, signal: null, err: "" });
    expect(manifest).toMatchObject({ version: out.trimEnd() });
  });

  test.each([
    [["--help"], 0],
    [["help", "--json"], 0],
    [["version", "--help"], 0],
    [["help", "version"], 0],
  ])("answers %j on stdout alone, without colours in a pipe", async (args, code) => {
    const { home } = makeWorld();
    const run = await runBundle(args, { home });
    expect(run).toMatchObject({ code, err: "" });
    expect(run.out).toMatch(/^[\n\P{Control}]+$/u);
  });

  test("colours where it is forced to", async () => {
    const { home } = makeWorld();
    const { out } = await runBundle(["--help"], { home, variables: { FORCE_COLOR: "1" } });
    expect(out).toContain("\x1b[1mUsage:\x1b[22m");
  });

  test("refuses on stderr, without a stack", async () => {
    const { home } = makeWorld();
    expect(await runBundle(["version", "--nonsense"], { home })).toEqual({
      code: 2,
      signal: null,
      out: "",
      err: "sessions: Unknown flag --nonsense\nhint: run `sessions version --help`\n",
    });
  });

  test.each([[["--help"]], [["help", "--json"]], [["version", "--help"]]])(
    "takes a closed pipe for no error (%j)",
    async (args) => {
      const { home } = makeWorld();
      const run = await runBundle(args, { home, closeOutput: true });
      expect(run).toEqual({ code: 0, signal: null, out: "", err: "" });
    },
  );
});
