import { describe, expect, it } from "vitest";
import { agentNamed } from "../../src/agents/agents.ts";
import { workspaceFingerprint } from "../../src/agents/claw/files.ts";
import { encodePiFolder } from "../../src/agents/pi/files.ts";

describe("encodePiFolder()", () => {
  it.each([
    ["/tmp/proj", "--tmp-proj--"],
    ["/home/ana/my_app.v2", "--home-ana-my_app.v2--"],
    ["C:\\code\\x", "--C--code-x--"],
  ])("makes %s the folder %s", (path, folder) => expect(encodePiFolder(path)).toBe(folder));
});

describe("workspaceFingerprint()", () => {
  // FNV-1a, 64 bits, by its published definition.
  it.each([
    ["", "cbf29ce484222325"],
    ["a", "af63dc4c8601ec8c"],
    ["foobar", "85944171f73967e8"],
  ])("of %j is %s", (path, hex) => expect(workspaceFingerprint(path)).toBe(hex));
});

describe("Agent.rehoming", () => {
  it("puts a session of Claude Code into the folder of the other project, and lists of work where they were", () => {
    const { place } = agentNamed("claude").rehoming;
    expect(place("-old/id/subagents/agent-1.jsonl", "projects", "/w/new.app")).toEqual({
      relative: "-w-new-app/id/subagents/agent-1.jsonl",
    });
    expect(place("id/1.json", "tasks", "/w/new")).toEqual({ relative: "id/1.json" });
  });

  it("puts a session of Pi into the folder of the other project, unless it is in none", () => {
    const { place } = agentNamed("pi").rehoming;
    expect(place("--old--/x.jsonl", "sessions", "/w/new")).toEqual({ relative: "--w-new--/x.jsonl" });
    expect(place("x.jsonl", "sessions", "/w/new")).toEqual({ relative: "x.jsonl" });
  });

  it("puts a session of claw-code into the project itself", () => {
    expect(agentNamed("claw").rehoming.place("5b33/x.jsonl", "sessions", "/w/new")).toEqual({
      relative: `${workspaceFingerprint("/w/new")}/x.jsonl`,
      inProject: ".claw/sessions",
    });
  });
});
