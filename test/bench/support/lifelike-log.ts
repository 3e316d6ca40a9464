import { createWords, type WordSource } from "./lifelike-words.ts";

export interface LogOptions {
  readonly sessionId: string;
  readonly cwd: string;
  readonly startMs: number;
}

/**
 * The lines of one Claude Code log, without end: requests, replies, tool calls and their results, in
 * the shares of bytes that real logs have (results with their `toolUseResult` copy about 65 %,
 * replies 18 %, progress 16 %) and with lines as long as theirs: results of 9 kB, replies of 1.5 kB,
 * progress of 1.7 kB on average, most results short and few very long. Line ends, tabs, quotes and signs beyond
 * ASCII are as frequent as in real ones: how fast JSON is parsed depends on them. The same random numbers give the
 * same log.
 */
export function* lifelikeLog(random: () => number, options: LogOptions): Generator<string> {
  const words = createWords(random);
  let clock = options.startMs;
  let parent: string | null = null;
  const hex = (length: number): string => {
    let text = "";
    while (text.length < length)
      text += Math.floor(random() * 0x100000000)
        .toString(16)
        .padStart(8, "0");
    return text.slice(0, length);
  };
  const envelope = (type: string, rest: object): string => {
    const uuid = `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`;
    clock += Math.floor(random() * 20_000);
    const line = JSON.stringify({
      parentUuid: parent,
      isSidechain: false,
      userType: "external",
      cwd: options.cwd,
      sessionId: options.sessionId,
      version: "2.1.56",
      gitBranch: "main",
      slug: "quiet-lake",
      type,
      ...rest,
      uuid,
      timestamp: new Date(clock).toISOString(),
    });
    parent = uuid;
    return line;
  };

  while (true) {
    yield envelope("user", {
      message: { role: "user", content: words.prose(10 + Math.floor(random() * 60)) },
    });
    const calls = 2 + Math.floor(random() * 14);
    for (let call = 0; call < calls; call++) {
      const id = `toolu_${hex(24)}`;
      const requestId = `req_${hex(20)}`;
      const message = (content: object): object => ({
        message: {
          model: "claude-opus-4-7",
          id: `msg_${hex(24)}`,
          type: "message",
          role: "assistant",
          content: [content],
          stop_reason: null,
          usage: usageOf(40_000 + call, 120),
        },
        requestId,
      });
      if (random() < 0.35)
        yield envelope(
          "assistant",
          message({ type: "thinking", thinking: words.prose(many(random, 40)), signature: hex(1_400) }),
        );
      if (random() < 0.5)
        yield envelope("assistant", message({ type: "text", text: words.prose(many(random, 60)) }));
      const tool = toolCall(random, words, options.cwd);
      yield envelope("assistant", message({ type: "tool_use", id, name: tool.name, input: tool.input }));
      for (let p = Math.floor(random() * 4); p > 0; p--) {
        const data = {
          type: "agent_progress",
          message: { type: "user", text: words.prose(80), detail: words.code(16) },
          agentId: hex(7),
        };
        yield envelope("progress", { data, toolUseID: id, parentToolUseID: id });
      }
      const isError = random() < 0.05;
      const content = isError ? `Exit code 1\n${tool.output}` : tool.output;
      yield envelope("user", {
        message: {
          role: "user",
          content: [{ tool_use_id: id, type: "tool_result", content, is_error: isError }],
        },
        toolUseResult: isError ? `Error: ${content}` : tool.result,
      });
    }
    yield envelope("assistant", {
      message: {
        model: "claude-opus-4-7",
        id: `msg_${hex(24)}`,
        type: "message",
        role: "assistant",
        content: [{ type: "text", text: words.prose(40 + Math.floor(random() * 80)) }],
        stop_reason: "end_turn",
        usage: usageOf(52_000, 400),
      },
      requestId: `req_${hex(20)}`,
    });
    yield JSON.stringify({
      type: "file-history-snapshot",
      messageId: parent,
      snapshot: { messageId: parent, trackedFileBackups: {}, timestamp: new Date(clock).toISOString() },
      isSnapshotUpdate: false,
    });
  }
}

/** As the tool shows a file to the agent. */
function numbered(content: string, separator: string): string {
  return content
    .split("\n")
    .map((line, index) => `${String(index + 1).padStart(6)}${separator}${line}`)
    .join("\n");
}

/** As many as `typical`, as a rule; now and then some hundred times that. */
function many(random: () => number, typical: number): number {
  return Math.ceil(typical * Math.exp((random() + random() + random() - 1.5) * 2.2));
}

function usageOf(cacheRead: number, output: number): object {
  return {
    input_tokens: 3,
    cache_creation_input_tokens: 812,
    cache_read_input_tokens: cacheRead,
    cache_creation: { ephemeral_5m_input_tokens: 812, ephemeral_1h_input_tokens: 0 },
    output_tokens: output,
    service_tier: "standard",
  };
}

interface Call {
  readonly name: string;
  readonly input: object;
  readonly output: string;
  readonly result: object;
}

function toolCall(random: () => number, words: WordSource, cwd: string): Call {
  const kind = random();
  const filePath = `${cwd}/${words.path()}`;
  if (kind < 0.3) {
    const command = `npm test -- ${words.path()} --grep ${words.word()}`;
    const stdout = words.code(many(random, 12));
    return {
      name: "Bash",
      input: { command, description: words.prose(6) },
      output: stdout,
      result: { stdout, stderr: "", interrupted: false, isImage: false },
    };
  }
  if (kind < 0.6) {
    const content = words.code(many(random, 70));
    return {
      name: "Read",
      input: { file_path: filePath },
      output: numbered(content, random() < 0.8 ? "→" : "\t"),
      result: { type: "text", file: { filePath, content, numLines: 40, startLine: 1, totalLines: 40 } },
    };
  }
  if (kind < 0.85) {
    const oldString = words.code(many(random, 5));
    const newString = words.code(many(random, 8));
    const originalFile = words.code(many(random, 270));
    const output = `The file ${filePath} has been updated. Here's the result of running \`cat -n\`:\n${words.code(8)}`;
    return {
      name: "Edit",
      input: { file_path: filePath, old_string: oldString, new_string: newString },
      output,
      result: {
        filePath,
        oldString,
        newString,
        originalFile,
        structuredPatch: [
          { oldStart: 1, oldLines: 3, newStart: 1, newLines: 4, lines: newString.split("\n") },
        ],
        userModified: false,
        replaceAll: false,
      },
    };
  }
  const filenames = Array.from({ length: 8 }, () => words.path());
  return {
    name: "Grep",
    input: { pattern: words.identifier(), path: cwd },
    output: filenames.join("\n"),
    result: { mode: "files_with_matches", filenames, numFiles: 8 },
  };
}
