import type { Buffer } from "node:buffer";
import { join } from "node:path";
import type { Agent, LineParser, ParserContext } from "../../../src/agents/agent.ts";
import { createTimeSpan } from "../../../src/agents/entry-body.ts";
import { sessionIdAt } from "../../../src/agents/session-id.ts";
import { groupFiles, headObjects } from "../../../src/agents/sniff-format.ts";
import { readJsonLine } from "../../../src/jsonl/json-line.ts";
import { stringAt, timeAt } from "../../../src/jsonl/values.ts";

/**
 * An agent that does not exist, with all that an agent needs at least: its logs are found, read, archived and restored,
 * and nothing else can be done to them. One line is `{"parrot":ID,"folder":…,"at":…,"user":…}`, or the same with `bird`.
 */
export const parrot: Agent = {
  name: "parrot",
  displayName: "Parrot",
  placeVariables: [],
  leafRule: "last-entry",
  roots: ({ home }) => [{ folder: join(home, ".parrot", "logs"), depth: 1, extensions: [".jsonl"] }],
  owns: (head) => idIn(head) !== undefined,
  group: (files, peek, memory) =>
    groupFiles(
      "parrot",
      files,
      ({ path }) => {
        const id = idIn(peek(path));
        return id === undefined ? undefined : { id, role: "main" };
      },
      memory,
    ),
  parser: createParser,
  resume: ({ id, project }) => ({ command: ["parrot", "again", id], folder: project }),
  rehoming: { keys: [["folder"]], place: (relative) => ({ relative }) },
};

function idIn(head: Buffer): string | undefined {
  return sessionIdAt(headObjects(head)[0], "parrot");
}

function createParser({ emit, budget }: ParserContext): LineParser {
  const span = createTimeSpan();
  let id: string | null = null;
  let project: string | null = null;
  let parent: string | null = null;
  return {
    line({ bytes, ended, number }) {
      const { objects } = readJsonLine(bytes, ended);
      if (objects.length === 0) emit({ kind: "opaque", line: number });
      for (const object of objects) {
        const at = timeAt(object, "at");
        const uid = `#${number}`;
        const request = stringAt(object, "user");
        const text = request ?? stringAt(object, "bird") ?? "";
        const place = { line: number, uid, parent, at };
        const said = { text: budget.words(text), chars: text.length };
        if (request !== undefined) emit({ ...place, ...said, kind: "request", via: "typed", images: 0 });
        else emit({ ...place, kind: "reply", parts: [{ kind: "text", ...said }] });
        parent = uid;
        id ??= sessionIdAt(object, "parrot") ?? null;
        project ??= stringAt(object, "folder") ?? null;
        span.add(at);
      }
    },
    finish: () => ({
      id,
      project,
      branch: null,
      version: null,
      firstAt: span.firstAt,
      lastAt: span.lastAt,
    }),
    // Logs this short are read from the start.
    save: () => undefined,
  };
}
