import { type ChildProcess, spawn } from "node:child_process";
import process from "node:process";

export interface McpClientOptions {
  /** The bundled program. */
  readonly program: string;
  /** A temporary folder: the real home is never seen. */
  readonly home: string;
  readonly folder?: string;
  readonly variables?: Readonly<Record<string, string>>;
}

export interface Reply {
  readonly id: number | string;
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into by path, as a client would.
  readonly result?: any;
  readonly error?: { readonly code: number; readonly message: string };
}

export interface ToolReply {
  readonly text: string;
  readonly isError: boolean;
}

/** A client of `sessions mcp` that writes lines and reads lines, and knows nothing of the SDK. */
export interface McpClient {
  readonly child: ChildProcess;
  request(method: string, params?: object): Promise<Reply>;
  /** The handshake of revisions before 2026. */
  initialize(protocolVersion?: string): Promise<Reply>;
  call(tool: string, args?: object): Promise<ToolReply>;
  write(text: string): void;
  /** Ends stdin, and resolves with the exit code. */
  end(): Promise<number | null>;
  /** What was written to stderr so far. */
  err(): string;
}

/** How the runtime of the tests runs the program, with its arguments. */
export function mcpCommand(program: string): readonly [string, ...string[]] {
  const runtime = process.versions.deno === undefined ? [] : ["run", "-A", "--quiet"];
  return [process.execPath, ...runtime, program, "mcp"];
}

export function startMcp({ program, home, folder = home, variables = {} }: McpClientOptions): McpClient {
  const [command, ...args] = mcpCommand(program);
  const child = spawn(command, args, {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: home, SESSIONS_GUARD: "off", ...variables },
    stdio: "pipe",
  });
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const waiting = new Map<number | string, (reply: Reply) => void>();
  let rest = "";
  let err = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const reply: Reply = JSON.parse(line);
      waiting.get(reply.id)?.(reply);
    }
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    err += text;
  });
  child.stdin.on("error", () => {});
  let last = 0;
  const client: McpClient = {
    child,
    request(method, params = {}) {
      const id = ++last;
      const reply = new Promise<Reply>((resolve, reject) => {
        waiting.set(id, resolve);
        void exited.then((code) =>
          reject(new Error(`The server ended with ${code} before it answered: ${err}`)),
        );
      });
      client.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
      return reply;
    },
    async initialize(protocolVersion = "2025-06-18") {
      const reply = await client.request("initialize", {
        protocolVersion,
        capabilities: {},
        clientInfo: { name: "test", version: "1" },
      });
      client.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
      return reply;
    },
    async call(tool, callArgs = {}) {
      const { result, error } = await client.request("tools/call", { name: tool, arguments: callArgs });
      if (error !== undefined) throw new Error(error.message);
      return { text: result.content[0].text, isError: result.isError === true };
    },
    write: (text) => void child.stdin.write(text),
    end() {
      child.stdin.end();
      return exited;
    },
    err: () => err,
  };
  return client;
}
