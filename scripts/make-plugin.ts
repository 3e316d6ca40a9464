import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import manifest from "../package.json" with { type: "json" };
import { claudeHookEvents } from "../src/agents/claude/hooks.ts";
import { skillName, skillText } from "../src/integrations/skill.ts";
import { slashCommands } from "../src/integrations/slash-commands.ts";

/**
 * Makes the Claude Code plugin and its marketplace from what `sessions install` uses: `npm run plugin`. A test fails if the
 * files are not up to date. README, icon and the script that finds the program are written by hand.
 */
export function makePluginFiles(): ReadonlyMap<string, string> {
  const { version, license, description } = manifest;
  const author = { name: "agent-sessions" };
  const run = (...words: readonly string[]): object => ({ command: "sh", args: [SCRIPT, ...words] });
  const hooks = claudeHookEvents.map(({ name, subcommand, timeoutSeconds }) => [
    name,
    [
      {
        hooks: [
          { type: "command", ...run("hook", subcommand, "--plugin", "claude"), timeout: timeoutSeconds },
        ],
      },
    ],
  ]);
  const commands = slashCommands({ line: `sh "${SCRIPT}"`, rule: `sh "${SCRIPT}"` });
  const plugin = { name: "sessions", version, description, author, license, keywords: manifest.keywords };
  return new Map([
    [
      ".claude-plugin/marketplace.json",
      json({
        name: "agent-sessions",
        description: "The history of coding agents: search, archive, restore and shrink sessions",
        owner: author,
        plugins: [{ name: plugin.name, source: "./plugin", description }],
      }),
    ],
    ["plugin/.claude-plugin/plugin.json", json(plugin)],
    ["plugin/.mcp.json", json({ mcpServers: { sessions: run("mcp", "--plugin", "claude") } })],
    ["plugin/hooks/hooks.json", json({ hooks: Object.fromEntries(hooks) })],
    [`plugin/skills/${skillName}/SKILL.md`, skillText],
    ...commands.map(({ name, text }) => [`plugin/commands/${name}.md`, text] as const),
  ]);
}

// biome-ignore lint/suspicious/noTemplateCurlyInString: Claude Code fills it in.
const SCRIPT = "${CLAUDE_PLUGIN_ROOT}/scripts/sessions.sh";

function json(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL("..", import.meta.url));
  for (const [path, text] of makePluginFiles()) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}
