import { describe, expect, test } from "vitest";
import { createInterrupts } from "../../src/cli/process-world.ts";

function make() {
  const exits: number[] = [];
  const clock = { ms: 0 };
  const interrupts = createInterrupts(
    (code) => exits.push(code),
    () => clock.ms,
  );
  return { exits, interrupts, clock };
}

describe("createInterrupts()", () => {
  test("ends at once if nothing holds", () => {
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
    const { exits, interrupts, clock } = make();
    await interrupts.leaveTo(async () => interrupts.request(130));
    expect(exits).toEqual([]);
    clock.ms += 1_000;
    interrupts.request(130);
    expect(exits).toEqual([130]);
  });

  test("leaves Ctrl-C to a child whose end was noticed first", async () => {
    const { exits, interrupts, clock } = make();
    await interrupts.leaveTo(async () => {
      clock.ms += 1_000;
    });
    interrupts.request(130);
    expect(exits).toEqual([]);
  });
});
