import { type ChildProcess, spawn } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { makeWorld } from "../support/make-world.ts";

const program = fileURLToPath(new URL("../support/slow-program.ts", import.meta.url));

interface Ending {
  readonly code: number | null;
  readonly signal: string | null;
  readonly out: string;
  readonly err: string;
}

/** Runs a slow command and does something to it as soon as it has said a word. */
function interrupt(name: string, act: (child: ChildProcess) => void): Promise<Ending> {
  const { home } = makeWorld();
  const runtime = process.versions.deno === undefined ? ["--import", "tsx"] : ["run", "-A", "--quiet"];
  const child = spawn(process.execPath, [...runtime, program, name], {
    env: { PATH: process.env.PATH, HOME: home },
    // A group of its own: what is sent to it reaches its children as Ctrl-C would, and not this process.
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let out = "";
  let err = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    if (out === "") setTimeout(() => act(child), 50);
    out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    err += text;
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve({ code, signal, out, err }));
  });
}

const ctrlC = (child: ChildProcess): void => {
  if (child.pid !== undefined) process.kill(-child.pid, "SIGINT");
};

/** Ctrl-C while the program gets no processor time: it finds the signal and the end of its child at the same moment. */
const ctrlCUnderLoad = (child: ChildProcess): void => {
  child.kill("SIGSTOP");
  ctrlC(child);
  setTimeout(() => child.kill("SIGCONT"), 400);
};

describe("start()", () => {
  test("ends with 130 on Ctrl-C", async () => {
    expect(await interrupt("sleep", ctrlC)).toEqual({ code: 130, signal: null, out: "begun\n", err: "" });
  });

  test("finishes a step that must not be left half done first", async () => {
    expect(await interrupt("hold", ctrlC)).toMatchObject({ code: 130, out: "begun\nfinished\n" });
  });

  test("leaves Ctrl-C to a child, and ends as the child does", async () => {
    expect(await interrupt("child", ctrlC)).toMatchObject({ code: 7, out: "begun\nheard\n" });
  });

  // Under Deno the stopped parent hangs after SIGCONT.
  test.skipIf("Deno" in globalThis)(
    "leaves Ctrl-C to a child that has ended before it is noticed",
    async () => {
      expect(await interrupt("child", ctrlCUnderLoad)).toMatchObject({ code: 7, out: "begun\nheard\n" });
    },
  );

  test("reports an unhandled rejection as a bug", async () => {
    const { code, err } = await interrupt("reject", () => {});
    expect(code).toBe(70);
    expect(err).toContain("sessions: Error: nobody waits for this\n");
    expect(err).toContain("this is a bug");
  });

  test("ends with 0 and silently when the pipe is closed", async () => {
    const ending = await interrupt("flood", (child) => child.stdout?.destroy());
    expect(ending).toMatchObject({ code: 0, signal: null, err: "" });
  });
});
