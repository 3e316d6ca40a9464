import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runProgram, startDetached } from "../../src/cli/programs.ts";
import { makeWorld } from "../support/make-world.ts";

const variables = { PATH: "/usr/bin:/bin" };

describe("startDetached()", () => {
  test.each([
    ["it exists", "true", true],
    ["there is no such program", "no-such-program-at-all", false],
    ["the system refuses its name", "x".repeat(300), false],
  ])("says whether a process was started: %s", async (_, command, started) => {
    expect(await startDetached({ command, args: [] }, [], variables)).toBe(started);
  });

  test("says that none was started if the arguments are too long for the system", async () => {
    expect(await startDetached({ command: "true", args: [] }, ["x".repeat(4_000_000)], variables)).toBe(
      false,
    );
  });
});

describe("runProgram()", () => {
  test("gives the exit code", async () => {
    expect(await runProgram("sh", ["-c", "exit 3"], variables, {})).toBe(3);
  });

  test("returns what a shell would make of a signal", async () => {
    expect(await runProgram("sh", ["-c", "kill -INT $$"], variables, {})).toBe(130);
    expect(await runProgram("sh", ["-c", "kill -TERM $$"], variables, {})).toBe(143);
  });

  test("knows that there is no such program", async () => {
    expect(await runProgram("no-such-program-at-all", [], variables, {})).toBeUndefined();
  });

  test("runs in a folder, with input and variables, and passes arguments as they are", async () => {
    const { folder } = makeWorld();
    const args = ["-c", 'cat > out; printf "%s" "$1$WORD" >> out', "sh", "$(echo no) 'x'"];
    const options = { folder, input: "text\n", variables: { WORD: "!" } };
    expect(await runProgram("sh", args, variables, options)).toBe(0);
    expect(readFileSync(join(folder, "out"), "utf8")).toBe("text\n$(echo no) 'x'!");
  });

  test("ends a program that takes too long", async () => {
    const options = { input: "", quiet: true, timeoutMs: 100 };
    expect(await runProgram("sleep", ["600"], variables, options)).toBe(137);
  });

  test("takes the end of what a quiet program writes to its stderr", async () => {
    let errors = "";
    const takeErrors = (text: string): void => {
      errors = text;
    };
    const script = "head -c 100000 /dev/zero >&2; echo no >&2; echo yes";
    expect(await runProgram("sh", ["-c", script], variables, { quiet: true, takeErrors })).toBe(0);
    expect(errors.endsWith("\0no\n")).toBe(true);
    expect(errors.length).toBe(16 * 1024);
  });

  test("survives a program that does not read its input", async () => {
    const input = "x".repeat(1_000_000);
    expect(await runProgram("sh", ["-c", "exit 0"], variables, { input })).toBe(0);
  });
});
