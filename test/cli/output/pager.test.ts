import { describe, expect, test } from "vitest";
import { page } from "../../../src/cli/output/pager.ts";
import { makeWorld } from "../../support/make-world.ts";

describe("page()", () => {
  test("writes at once into a pipe", async () => {
    const world = makeWorld({ programs: { less: 0 } });
    await page("text\n", world);
    expect([world.out(), world.runs]).toEqual(["text\n", []]);
  });

  test("runs less on a terminal so that a short text needs no key", async () => {
    const world = makeWorld({ columns: 80, programs: { less: 0 } });
    await page("text\n", world);
    expect(world.out()).toBe("");
    expect(world.runs).toEqual([
      {
        program: "less",
        args: [],
        options: { input: "text\n", variables: { LESS: "FRX", LESSCHARSET: "utf-8" } },
      },
    ]);
  });

  test.each([
    [{ PAGER: "most -s" }, "most", ["-s"]],
    [{ PAGER: "most", SESSIONS_PAGER: "bat -p" }, "bat", ["-p"]],
  ])("takes the pager of %j", async (variables, program, args) => {
    const world = makeWorld({ columns: 80, variables, programs: { most: 0, bat: 0 } });
    await page("text\n", world);
    expect(world.runs).toMatchObject([{ program, args }]);
  });

  test("leaves the user's own options of less alone", async () => {
    const variables = { LESS: "-S", LESSCHARSET: "dos" };
    const world = makeWorld({ columns: 80, variables, programs: { less: 0 } });
    await page("text\n", world);
    expect(world.runs[0]?.options.variables).toEqual(variables);
  });

  test.each([[{}], [{ PAGER: "" }], [{ PAGER: "cat" }], [{ PAGER: "no-such-pager" }]])(
    "still prints with %j and no pager on the machine",
    async (variables) => {
      const world = makeWorld({ columns: 80, variables });
      await page("text\n", world);
      expect(world.out()).toBe("text\n");
    },
  );
});
