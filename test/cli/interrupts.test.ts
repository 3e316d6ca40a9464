import { describe, expect, test } from "vitest";
import { createInterrupts } from "../../src/cli/interrupts.ts";

function make() {
  const exits: number[] = [];
  return { exits, interrupts: createInterrupts((code) => exits.push(code)) };
}

describe("createInterrupts()", () => {
  test("ends at once where nothing holds", () => {
    const { exits, interrupts } = make();
    interrupts.request(130);
    expect(exits).toEqual([130]);
  });

  test("waits for the end of a step that must not be left half done", async () => {
    const { exits, interrupts } = make();
    const result = await interrupts.hold(async () => {
      await interrupts.hold(async () => interrupts.request(130));
      interrupts.request(0);
      expect(exits).toEqual([]);
      return "done";
    });
    expect([result, exits]).toEqual(["done", [130]]);
  });

  test("ends after a step that failed, too", async () => {
    const { exits, interrupts } = make();
    const failed = interrupts.hold(async () => {
      interrupts.request(130);
      throw new Error("no");
    });
    await expect(failed).rejects.toThrow("no");
    expect(exits).toEqual([130]);
  });

  test("leaves Ctrl-C to a child that has the terminal", async () => {
    const { exits, interrupts } = make();
    await interrupts.leaveTo(async () => interrupts.request(130));
    expect(exits).toEqual([]);
    interrupts.request(130);
    expect(exits).toEqual([130]);
  });
});
