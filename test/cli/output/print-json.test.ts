import { describe, expect, test } from "vitest";
import { printJson } from "../../../src/cli/output/print-json.ts";
import { makeWorld } from "../../support/make-world.ts";

describe("printJson()", () => {
  test("prints one line in a pipe", () => {
    const world = makeWorld();
    printJson(world, { total: 1 });
    expect(world.out()).toBe('{"schemaVersion":1,"total":1}\n');
  });

  test("indents on a terminal", () => {
    const world = makeWorld({ columns: 80 });
    printJson(world, { total: 1 });
    expect(world.out()).toBe('{\n  "schemaVersion": 1,\n  "total": 1\n}\n');
  });
});
