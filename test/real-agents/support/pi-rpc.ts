import { spawn } from "node:child_process";
import { appendFileSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import type { AgentHome } from "./agent-home.ts";
import { isRecord } from "./fake-model.ts";

type Message = Readonly<Record<string, unknown>>;

/** A running Pi that is spoken to over stdin and stdout. */
export interface PiRpc {
  /** Sends a command and returns its response. */
  send(command: Message): Promise<Message>;
  /** Sends a prompt and returns when the agent has settled. */
  prompt(message: string): Promise<void>;
  /** What extensions told the user, in order. */
  readonly notices: readonly string[];
  /** Closes its input, and returns when it has ended. */
  end(): Promise<void>;
}

export interface PiRpcOptions {
  /** Chooses among what an extension offers; the first if absent. */
  readonly choose?: (title: string, options: readonly string[]) => string | undefined;
}

export function startPiRpc(home: AgentHome, args: readonly string[], options: PiRpcOptions = {}): PiRpc {
  const { command, args: words, folder, env } = home.agentStart("pi", ["--mode", "rpc", ...args]);
  const child = spawn(command, words, { cwd: folder, env: { ...env }, stdio: "pipe" });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const notices: string[] = [];
  const waiting = new Set<(message: Message) => boolean>();
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  const write = (message: Message): void => {
    note(`> ${JSON.stringify(message)}`);
    child.stdin.write(`${JSON.stringify(message)}\n`);
  };
  /** Resolves with the first message that fits, from now on. */
  const next = (fits: (message: Message) => boolean): Promise<Message> =>
    new Promise((resolve, reject) => {
      const take = (message: Message): boolean => {
        if (!fits(message)) return false;
        resolve(message);
        return true;
      };
      waiting.add(take);
      void ended.then(() => reject(new Error(`Pi ended:\n${errors}`)));
    });
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message: unknown = JSON.parse(line);
    if (!isRecord(message)) return;
    if (message.type !== "message_update") note(`< ${line.slice(0, 2_000)}`);
    if (message.type === "extension_ui_request") {
      if (message.method === "notify") notices.push(String(message.message));
      if (message.method === "select") {
        const offered = (message.options as readonly unknown[]).map(String);
        const value = (options.choose ?? ((_title, [first]) => first))(String(message.title), offered);
        write({ type: "extension_ui_response", id: message.id, value: value ?? null });
      }
    }
    for (const take of waiting) if (take(message)) waiting.delete(take);
  });
  let count = 0;
  const send: PiRpc["send"] = async (message) => {
    const id = `r${++count}`;
    const answer = next((each) => each.type === "response" && each.id === id);
    write({ id, ...message });
    return answer;
  };
  return {
    send,
    notices,
    async prompt(message) {
      const settled = next(({ type }) => type === "agent_settled");
      await send({ type: "prompt", message });
      await settled;
    },
    async end() {
      child.stdin.end();
      await ended;
    },
  };
}

/** `SESSIONS_TEST_TRANSCRIPT=FILE` keeps what was said. */
function note(line: string): void {
  const file = process.env.SESSIONS_TEST_TRANSCRIPT;
  if (file === undefined) return;
  mkdirSync(dirname(file), { recursive: true });
  appendFileSync(file, `${line}\n`);
}
