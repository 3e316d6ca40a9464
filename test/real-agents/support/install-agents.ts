import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import type { TestProject } from "vitest/node";

/** How an installed agent is started. */
export interface AgentProgram {
  readonly version: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Its node_modules. */
  readonly modules: string;
}

declare module "vitest" {
  export interface ProvidedContext {
    readonly agents: Readonly<Record<TestedAgent, AgentProgram>>;
  }
}

export type TestedAgent = "claude" | "codex" | "pi" | "gemini" | "qwen" | "opencode" | "copilot";

const platform = `${process.platform}-${process.arch}`;

/** The versions that the suite knows. Pi needs a newer Node than this program does, and brings it. */
const agents: Record<TestedAgent, Recipe> = {
  claude: {
    version: "2.1.326",
    packages: ["@anthropic-ai/claude-code@2.1.326"],
    start: [`@anthropic-ai/claude-code-${platform}/claude`],
  },
  codex: {
    version: "0.169.0",
    packages: ["@openai/codex@0.169.0"],
    start: [process.execPath, "@openai/codex/bin/codex.js"],
  },
  gemini: {
    version: "0.61.0",
    packages: ["@google/gemini-cli@0.61.0"],
    start: [process.execPath, "@google/gemini-cli/bundle/gemini.js"],
  },
  qwen: {
    version: "0.24.4",
    packages: ["@qwen-code/qwen-code@0.24.4"],
    start: [process.execPath, "@qwen-code/qwen-code/cli-entry.js"],
  },
  copilot: {
    version: "1.0.102",
    packages: ["@github/copilot@1.0.102"],
    start: [`@github/copilot-${platform}/copilot`],
  },
  opencode: {
    version: "1.18.33",
    packages: ["opencode-ai@1.18.33"],
    start: [`opencode-${platform}/bin/opencode`],
  },
  pi: {
    version: "0.87.1",
    packages: ["@earendil-works/pi-coding-agent@0.87.1", `node-${platform}@24`],
    start: [`node-${platform}/bin/node`, "@earendil-works/pi-coding-agent/dist/bundle/cli.js"],
  },
};

interface Recipe {
  readonly version: string;
  readonly packages: readonly string[];
  /** The command and its arguments; paths are in node_modules. */
  readonly start: readonly [string, ...string[]];
}

/**
 * vitest's global set-up: installs the agents into a temporary folder outside the checkout, which later runs find again.
 * None of their installation scripts is run.
 */
export default function installAgents(project: TestProject): void {
  const folder = process.env.SESSIONS_TEST_AGENTS_FOLDER ?? join(tmpdir(), "sessions-test-agents");
  mkdirSync(folder, { recursive: true });
  project.provide("agents", {
    claude: install(folder, "claude", agents.claude),
    codex: install(folder, "codex", agents.codex),
    pi: install(folder, "pi", agents.pi),
    gemini: install(folder, "gemini", agents.gemini),
    qwen: install(folder, "qwen", agents.qwen),
    opencode: install(folder, "opencode", agents.opencode),
    copilot: install(folder, "copilot", agents.copilot),
  });
}

function install(folder: string, name: TestedAgent, recipe: Recipe): AgentProgram {
  const place = join(folder, `${name}-${recipe.version}`);
  const isThere = existsSync(join(place, "installed.json"));
  if (!isThere || readFileSync(join(place, "installed.json"), "utf8") !== JSON.stringify(recipe.packages)) {
    console.log(`installing ${recipe.packages.join(" and ")} into ${place}`);
    // Put in place whole, so that an interrupted installation is not taken for one.
    const temporary = mkdtempSync(join(folder, `.${name}-`));
    writeFileSync(join(temporary, "package.json"), '{ "private": true }\n');
    const words = [
      "install",
      "--no-fund",
      "--no-audit",
      "--no-package-lock",
      "--ignore-scripts",
      "--loglevel=error",
    ];
    const { status, stderr } = spawnSync("npm", [...words, ...recipe.packages], {
      cwd: temporary,
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`npm could not install ${recipe.packages.join(", ")}:\n${stderr}`);
    writeFileSync(join(temporary, "installed.json"), JSON.stringify(recipe.packages));
    rmSync(place, { recursive: true, force: true });
    renameSync(temporary, place);
  }
  const modules = join(place, "node_modules");
  const [command, ...args] = recipe.start.map((part) => (part.startsWith("/") ? part : join(modules, part)));
  for (const path of [command, ...args])
    if (path === undefined || !existsSync(path)) throw new Error(`${name} has no ${path}`);
  return { version: recipe.version, command: command ?? "", args, modules };
}
