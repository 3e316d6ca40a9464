import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { run } from "../../../src/cli/run.ts";
import { makeWorld } from "../../support/make-world.ts";

const folder = fileURLToPath(new URL("../../../fixtures/markdown/", import.meta.url));
const files = readdirSync(folder).filter((name) => name !== "README.md");

/** Renewed by `npx vitest run test/render/markdown/golden.test.ts --update`; see fixtures/markdown/README.md. */
describe("the markdown of the example history", () => {
  test("has at least two files to be compared with", () => {
    expect(files.length).toBeGreaterThanOrEqual(2);
  });

  test.each(files)("is %s, byte for byte", async (name) => {
    const world = makeWorld();
    const id = name.replace(/^[a-z]+-|\.md$/g, "");
    expect(await run(["export", id], world)).toBe(0);
    // Where the example history lies differs from machine to machine.
    await expect(world.out().replaceAll(world.demoHome, "/home/ana")).toMatchFileSnapshot(folder + name);
  });
});
