import { describe, expect, test } from "vitest";
import { isoTime, printJson } from "../../../src/cli/output/print-json.ts";
import { makeWorld } from "../../support/make-world.ts";

describe("printJson()", () => {
  test("prints one line in a pipe", () => {
    const world = makeWorld();
    printJson(world, { total: 1 });
    expect(world.out()).toBe('{"schemaVersion":1,"total":1}\n');
  });

  test("prints for eyes on a terminal", () => {
    const world = makeWorld({ columns: 80 });
    printJson(world, { total: 1 });
    expect(world.out()).toBe('{\n  "schemaVersion": 1,\n  "total": 1\n}\n');
  });

  test("carries times as ISO 8601 in UTC, and null for an unknown one", () => {
    expect([isoTime(0), isoTime(undefined)]).toEqual(["1970-01-01T00:00:00.000Z", null]);
  });
});
