import { describe, expect, it } from "vitest";
import { assertNever, type ExitCode, exitCodes, gravest, UserError } from "../src/errors.ts";

describe("UserError", () => {
  it("carries message, hint, exit code and cause", () => {
    const cause = new Error("below");
    const error = new UserError("Cannot do it", {
      exitCode: exitCodes.refused,
      hint: "do something else",
      cause,
    });
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({
      name: "UserError",
      message: "Cannot do it",
      exitCode: 4,
      hint: "do something else",
      cause,
    });
  });

  it("has neither hint nor cause where none is given", () => {
    const error = new UserError("Cannot do it", { exitCode: exitCodes.wrongUsage });
    expect(error.hint).toBeUndefined();
    expect("cause" in error).toBe(false);
  });
});

describe("exitCodes", () => {
  it("are those that users rely on", () => {
    expect(exitCodes).toEqual({
      done: 0,
      nothingFound: 1,
      wrongUsage: 2,
      withProblems: 3,
      refused: 4,
      broken: 5,
      interrupted: 130,
    });
  });
});

describe("gravest()", () => {
  it.each<[readonly ExitCode[], ExitCode]>([
    [[], 0],
    [[0, 0], 0],
    [[0, 1], 1],
    [[1, 3, 0], 3],
    [[3, 2], 2],
    [[2, 4, 3], 4],
    [[4, 5, 2, 3, 1, 0], 5],
    [[5, 130], 130],
  ])("%j is %i", (codes, expected) => {
    expect(gravest(codes)).toBe(expected);
    expect(gravest(codes.toReversed())).toBe(expected);
  });
});

describe("assertNever()", () => {
  it("throws with the unexpected value", () => {
    const value: unknown = { kind: "new" };
    // A value can only get here against its type: from a file, say.
    const asNever = (given: unknown): given is never => given !== undefined;
    expect(() => asNever(value) && assertNever(value)).toThrow('{"kind":"new"}');
  });
});
