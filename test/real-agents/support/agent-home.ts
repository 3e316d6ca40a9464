import { spawn } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { inject, onTestFinished } from "vitest";
import { type FakeModel, startFakeModel } from "./fake-model.ts";
import type { TestedAgent } from "./install-agents.ts";

export interface Run {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions {
  readonly folder?: string;
  readonly variables?: Readonly<Record<string, string>>;
  readonly input?: string;
}

/** A person's home with nothing in it, and a model that is none. Both are gone after the test. */
export interface AgentHome {
  readonly home: string;
  /** A folder in it that agents work in. */
  readonly project: string;
  /** SESSIONS_HOME */
  readonly store: string;
  readonly model: FakeModel;
  /** Runs an agent to its end. */
  agent(name: TestedAgent, args: readonly string[], options?: RunOptions): Promise<Run>;
  /** How an agent is started, for tests that talk to it while it runs. */
  agentStart(name: TestedAgent, args: readonly string[], options?: RunOptions): ProgramStart;
  /** Runs the bundled program. */
  sessions(args: readonly string[], options?: RunOptions): Promise<Run>;
  /** The same with `--json`; an exit code other than 0 is an error. */
  json(args: readonly string[], options?: RunOptions): Promise<Record<string, unknown>>;
}

export async function makeAgentHome(): Promise<AgentHome> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "sessions-agents-")));
  const model = await startFakeModel();
  onTestFinished(async () => {
    await model.close();
    // An agent may still be writing its last.
    rmSync(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  });
  const home = join(root, "home");
  const project = join(home, "project");
  const store = join(home, ".sessions");
  mkdirSync(project, { recursive: true });
  const common = {
    PATH: [dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"].join(":"),
    HOME: home,
    TMPDIR: root,
    LANG: "C.UTF-8",
    SESSIONS_HOME: store,
    SESSIONS_GUARD: "off",
    // Nothing but loopback can be reached.
    HTTP_PROXY: "http://127.0.0.1:9",
    HTTPS_PROXY: "http://127.0.0.1:9",
    NO_PROXY: "127.0.0.1,localhost",
  };
  const startOf = (
    program: readonly string[],
    { folder, variables, input }: RunOptions,
    own: object,
  ): ProgramStart => {
    const [command = "", ...args] = program;
    return {
      command,
      args,
      folder: folder ?? project,
      env: { ...common, ...own, ...variables },
      input: input ?? "",
    };
  };
  const agentStart: AgentHome["agentStart"] = (name, args, options = {}) => {
    const { command, args: first } = inject("agents")[name];
    const { variables, words } = usingModel[name](model, home);
    return startOf([command, ...first, ...words, ...args], options, variables);
  };
  const sessions: AgentHome["sessions"] = (args, options = {}) =>
    run(startOf([process.execPath, inject("bundle"), ...args], options, { NO_COLOR: "1" }));
  return {
    home,
    project,
    store,
    model,
    agentStart,
    agent: (name, args, options) => run(agentStart(name, args, options)),
    sessions,
    json: async (args, options) => {
      const { code, out, err } = await sessions([...args, "--json"], options);
      if (code !== 0) throw new Error(`sessions ${args.join(" ")} ended with ${code}:\n${out}${err}`);
      return JSON.parse(out);
    },
  };
}

/** What makes an agent talk to the fake model, and to nothing else: variables, and words before its arguments. */
const usingModel: Record<TestedAgent, (model: FakeModel, home: string) => ModelChoice> = {
  claude: ({ url }) => ({
    variables: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "fake",
      DISABLE_TELEMETRY: "1",
      DISABLE_AUTOUPDATER: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      // The first request waits for servers, however slow the machine is, instead of going without their tools.
      MCP_CONNECTION_NONBLOCKING: "0",
      MCP_CONNECT_TIMEOUT_MS: "300000",
      MCP_TIMEOUT: "300000",
    },
    words: [],
  }),
  codex: ({ url }) => ({
    variables: { FAKE_KEY: "fake" },
    words: Object.entries({
      model: "fake",
      model_provider: "fake",
      "model_providers.fake.name": "fake",
      "model_providers.fake.base_url": `${url}/v1`,
      "model_providers.fake.wire_api": "responses",
      "model_providers.fake.env_key": "FAKE_KEY",
    }).flatMap(([key, value]) => ["-c", `${key}=${JSON.stringify(value)}`]),
  }),
  gemini: ({ url }, home) => {
    const settings = join(home, ".gemini", "settings.json");
    mkdirSync(dirname(settings), { recursive: true });
    const choices = {
      security: { auth: { selectedType: "gemini-api-key" } },
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false },
    };
    // What `sessions install` adds to it stays.
    if (!existsSync(settings)) writeFileSync(settings, JSON.stringify(choices));
    return {
      variables: {
        GEMINI_API_KEY: "fake",
        GOOGLE_GEMINI_BASE_URL: url,
        // A model that is named needs no other to choose it.
        GEMINI_MODEL: "gemini-2.5-flash",
        GEMINI_CLI_TRUST_WORKSPACE: "true",
      },
      words: [],
    };
  },
  qwen: ({ url }) => ({
    variables: { OPENAI_API_KEY: "fake", OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: "fake" },
    words: [],
  }),
  copilot: ({ url }) => ({
    variables: {
      // Without a login, and without anything but this model.
      COPILOT_OFFLINE: "true",
      COPILOT_AUTO_UPDATE: "false",
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_PROVIDER_API_KEY: "fake",
      COPILOT_MODEL: "gpt-4.1",
      COPILOT_PROVIDER_MAX_PROMPT_TOKENS: "100000",
      COPILOT_PROVIDER_MAX_OUTPUT_TOKENS: "4000",
    },
    words: [],
  }),
  opencode: ({ url }) => {
    const options = { baseURL: `${url}/v1`, apiKey: "fake" };
    const models = { fake: { name: "fake", limit: { context: 100_000, output: 4_000 } } };
    const config = {
      autoupdate: false,
      share: "disabled",
      permission: "allow",
      model: "fake/fake",
      small_model: "fake/fake",
      provider: { fake: { npm: "@ai-sdk/openai-compatible", name: "fake", options, models } },
    };
    return {
      variables: {
        OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
        OPENCODE_DISABLE_AUTOUPDATE: "1",
        OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
        OPENCODE_DISABLE_MODELS_FETCH: "1",
        npm_config_registry: "http://127.0.0.1:9",
      },
      words: [],
    };
  },
  pi: ({ url }, home) => {
    const models = join(home, ".pi", "agent", "models.json");
    const fake = {
      baseUrl: `${url}/v1`,
      api: "openai-completions",
      apiKey: "fake",
      models: [{ id: "fake" }],
    };
    mkdirSync(dirname(models), { recursive: true });
    writeFileSync(models, JSON.stringify({ providers: { fake } }));
    return { variables: { PI_OFFLINE: "1", PI_SKIP_VERSION_CHECK: "1" }, words: ["--model", "fake/fake"] };
  },
};

interface ModelChoice {
  readonly variables: Readonly<Record<string, string>>;
  readonly words: readonly string[];
}

/** A program, and all that it is told: no word of its environment is this machine's. */
export interface ProgramStart {
  readonly command: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input: string;
}

function run({ command, args, folder, env, input }: ProgramStart): Promise<Run> {
  const child = spawn(command, args, { cwd: folder, env, stdio: "pipe" });
  let out = "";
  let err = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    err += text;
  });
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      note(command, args, { code, out, err });
      resolve({ code, out, err });
    });
  });
}

/** `SESSIONS_TEST_TRANSCRIPT=FILE` keeps what was run and what it said. */
function note(command: string, args: readonly string[], { code, out, err }: Run): void {
  const file = process.env.SESSIONS_TEST_TRANSCRIPT;
  if (file === undefined) return;
  mkdirSync(dirname(file), { recursive: true });
  appendFileSync(file, `$ ${[command, ...args].join(" ")}\n${out}${err}(exit code ${code})\n\n`);
}
