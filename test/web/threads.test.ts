import { describe, expect, test } from "vitest";
import { exitCodes, UserError } from "../../src/index.ts";
import { answerCalls, callsInThread, quickHere } from "../../src/web/server/page-thread.ts";

/** Two ends that are connected as threads are: what is sent is copied. */
function connectedThread(run: (name: string) => Promise<string>) {
  let receiver: (message: unknown) => void = () => undefined;
  let fail: (error: unknown) => void = () => undefined;
  const ended = new Promise<void>((_, reject) => {
    fail = reject;
  });
  const answer = answerCalls(
    async () => run,
    (message) => receiver(structuredClone(message)),
  );
  return {
    fail,
    thread: {
      post: (message: unknown) => answer(structuredClone(message)),
      onMessage: (receive: (message: unknown) => void) => {
        receiver = receive;
      },
      ended,
    },
  };
}

describe("callsInThread()", () => {
  test("brings answers and errors back, each to its caller", async () => {
    const run = callsInThread(
      () =>
        connectedThread(async (name) => {
          if (name === "wrong")
            throw new UserError("Cannot find it", { exitCode: exitCodes.nothingFound, hint: "look" });
          if (name === "bug") throw new TypeError("oops");
          return `"${name}"`;
        }).thread,
    );
    const all = await Promise.allSettled([run("a", {}), run("wrong", {}), run("bug", {}), run("b", {})]);
    expect(all.map((each) => (each.status === "fulfilled" ? each.value : each.reason.message))).toEqual([
      '"a"',
      "Cannot find it",
      "oops",
      '"b"',
    ]);
    const [, wrong, bug] = all;
    expect(wrong?.status === "rejected" && wrong.reason).toBeInstanceOf(UserError);
    expect(wrong?.status === "rejected" && wrong.reason.hint).toBe("look");
    expect(bug?.status === "rejected" && bug.reason).not.toBeInstanceOf(UserError);
  });

  test("fails the calls of a thread that died, and starts another for the next", async () => {
    const started: ReturnType<typeof connectedThread>[] = [];
    const run = callsInThread(() => {
      const isFirst = started.length === 0;
      const made = connectedThread((name) =>
        isFirst ? new Promise(() => undefined) : Promise.resolve(`"${name}"`),
      );
      started.push(made);
      return made.thread;
    });
    const lost = run("a", {});
    started[0]?.fail(new Error("out of memory"));
    await expect(lost).rejects.toThrow("out of memory");
    await expect(run("b", {})).resolves.toBe('"b"');
    expect(started).toHaveLength(2);
  });
});

test("answerCalls() opens the history again for the next call if that failed", async () => {
  const answers: unknown[] = [];
  let opened = 0;
  const answer = answerCalls(
    async () => {
      if (++opened === 1) throw new UserError("Cannot read config.json", { exitCode: exitCodes.broken });
      return async (name) => `"${name}"`;
    },
    (message) => answers.push(message),
  );
  for (const [at, name] of ["a", "b", "c"].entries()) answer({ id: at + 1, name, args: {} });
  await expect.poll(() => answers.length).toBe(3);
  expect(answers).toMatchObject([
    { id: 1, error: { message: "Cannot read config.json" } },
    { id: 2, answer: '"b"' },
    { id: 3, answer: '"c"' },
  ]);
  expect(opened).toBe(2);
});

test("quickHere() keeps only what reads no log in this thread", async () => {
  const run = quickHere(
    async (name) => `here ${name}`,
    async (name) => `there ${name}`,
  );
  expect(
    await Promise.all([run("search", {}), run("list", {}), run("session", {}), run("refresh", {})]),
  ).toEqual(["here search", "here list", "there session", "there refresh"]);
});
