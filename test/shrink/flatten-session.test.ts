import fs from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { forgetSession, undoForget } from "../../src/forget.ts";
import type { Library } from "../../src/fs/library.ts";
import { nodeDisk } from "../../src/fs/node-disk.ts";
import { exactTokens } from "../../src/history/exact-tokens.ts";
import { openSession } from "../../src/search/open-session.ts";
import { selectSession } from "../../src/search/select-sessions.ts";
import { compactSession } from "../../src/shrink/compact-session.ts";
import { type FlattenAnswer, type FlattenOptions, flattenSession } from "../../src/shrink/flatten-session.ts";
import { openSidecar } from "../../src/shrink/open-sidecar.ts";
import { type Retrieved, retrieveBlock } from "../../src/shrink/retrieve-block.ts";
import { type UnflattenAnswer, unflattenSession } from "../../src/shrink/unflatten-session.ts";
import { locking, quickLibrary } from "../support/archive/archiving.ts";
import { filesBelow } from "../support/archive/source-files.ts";
import {
  callOf,
  PI_SESSION,
  piToolLog,
  putPiLog,
  putToolLog,
  TOOL_SESSION,
  toolLog,
} from "../support/shrink/tool-log.ts";

const rule = { minBytes: 1024, copies: true };

const flatten = (
  library: Library,
  id: string,
  options: Partial<FlattenOptions> = {},
): Promise<FlattenAnswer> =>
  flattenSession(library, selectSession(library, [id]), { rule, locking, ...options });
const unflatten = (library: Library, id: string, force = false): Promise<UnflattenAnswer> =>
  unflattenSession(library, selectSession(library, [id]), { locking, force });

const image = {
  type: "image",
  source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo".repeat(200) },
};
const calls = [
  callOf("Read", 5_000, { file_path: "/home/ana/shop/a.ts" }, "toolu_long"),
  callOf("Bash", 100, { command: "ls" }, "toolu_short"),
  {
    id: "toolu_shot",
    tool: "mcp__browser__shot",
    input: {},
    result: [{ type: "text", text: "s".repeat(2_000) }, image],
  },
];

const agents = {
  claude: { id: TOOL_SESSION, log: toolLog(calls), put: putToolLog, blocks: 3 },
  pi: { id: PI_SESSION, log: piToolLog(), put: putPiLog, blocks: 3 },
};

const sidecars = (library: Library): readonly string[] =>
  fs.existsSync(library.places.flat) ? [...filesBelow(library.places.flat).keys()] : [];

describe.each(["claude", "pi"] as const)("flattenSession() and unflattenSession(), %s", (agent) => {
  const { id, log, put, blocks } = agents[agent];
  const setUp = (): { library: Library; path: string } => {
    const library = quickLibrary();
    return { library, path: put(library.environment.home, log, 0o640) };
  };

  it("moves what is bulky to a sidecar, and gives the identical bytes back", async () => {
    const { library, path } = setUp();
    const done = await flatten(library, id);
    const text = fs.readFileSync(path, "utf8");
    expect(done).toMatchObject({
      blocks,
      dryRun: false,
      diskBytesSaved: Buffer.byteLength(log) - Buffer.byteLength(text),
    });
    expect(done.contextTokensSaved).toBeGreaterThan(500);
    expect(done.contextTokensSaved).toBeLessThan(done.contextTokensTotal);
    expect(text.match(/\[FLATTENED id=/g)?.length).toBeGreaterThanOrEqual(blocks);
    expect(text.split("\n").length).toBe(log.split("\n").length);
    expect(sidecars(library)).toEqual([join(agent, `${id}.flat`)]);
    expect(openSession(library, [id]).session.problems).toEqual([]);
    expect(await unflatten(library, id)).toMatchObject({ blocks, isExact: true, sidecar: null });
    expect(fs.readFileSync(path, "utf8")).toBe(log);
    expect(fs.statSync(path).mode & 0o7777).toBe(0o640);
    expect(sidecars(library)).toEqual([]);
    expect(fs.readdirSync(dirname(path))).toHaveLength(1);
  });

  it("is idempotent, and flattens later lines with the next run", async () => {
    const { library, path } = setUp();
    await flatten(library, id);
    const once = fs.readFileSync(path);
    expect(await flatten(library, id)).toMatchObject({
      blocks: 0,
      diskBytesSaved: 0,
      contextTokensSaved: 0,
      backup: null,
    });
    expect(fs.readFileSync(path).equals(once)).toBe(true);
    fs.appendFileSync(path, log.slice(log.indexOf("\n") + 1));
    expect((await flatten(library, id, { force: true })).blocks).toBe(blocks);
    await unflatten(library, id, true);
    expect(fs.readFileSync(path, "utf8")).toBe(log + log.slice(log.indexOf("\n") + 1));
  });

  it("leaves everything alone in a dry run", async () => {
    const { library, path } = setUp();
    expect(await flatten(library, id, { dryRun: true })).toMatchObject({ blocks, sidecar: null });
    expect(fs.readFileSync(path, "utf8")).toBe(log);
    expect(fs.existsSync(library.places.home)).toBe(false);
  });

  it("can be forgotten, sidecar and all, and be brought back", async () => {
    const { library, path } = setUp();
    await flatten(library, id);
    await forgetSession(library, { agent, id, copy: null }, { locking });
    expect(sidecars(library)).toEqual([]);
    await undoForget(library, { agent, id, copy: null }, { locking });
    await unflatten(library, id);
    expect(fs.readFileSync(path, "utf8")).toBe(log);
  });

  it("--fork makes a flattened session that can be unflattened by itself", async () => {
    const { library, path } = setUp();
    const { fork, sidecar } = await flatten(library, id, { fork: { uuid: () => crypto.randomUUID() } });
    expect(fs.readFileSync(path, "utf8")).toBe(log);
    expect(sidecar).toContain(fork?.id);
    const flat = fs.readFileSync(fork?.path ?? "", "utf8");
    expect(flat).toContain(`sessions retrieve ${fork?.id}`);
    const turnsOf = (name: string): number => openSession(library, [name]).session.turns.length;
    expect(turnsOf(fork?.id ?? "")).toBe(turnsOf(id));
    expect(await unflatten(library, fork?.id ?? "", true)).toMatchObject({ blocks, isExact: true });
    expect(fs.readFileSync(fork?.path ?? "", "utf8")).not.toContain("[FLATTENED");
  });
});

describe("flattenSession()", () => {
  it("has the marker that is agreed upon", async () => {
    const library = quickLibrary();
    const path = putToolLog(library.environment.home, toolLog(calls));
    await flatten(library, TOOL_SESSION);
    const text = JSON.parse(fs.readFileSync(path, "utf8").split("\n")[2] ?? "").message.content[0].content;
    expect(text).toMatch(
      new RegExp(
        `^\\[FLATTENED id=toolu_long tool=Read file=/home/ana/shop/a\\.ts \\| text \\d+ B, \\d+ lines \\| sessions retrieve ${TOOL_SESSION} toolu_long\\]$`,
      ),
    );
    expect(text).toContain(`| text ${Buffer.byteLength(String(calls[0]?.result))} B,`);
  });

  it("--no-tool-use-result leaves the copies alone", async () => {
    const library = quickLibrary();
    const path = putToolLog(library.environment.home, toolLog(calls));
    await flatten(library, TOOL_SESSION, { rule: { minBytes: 1024, copies: false } });
    expect(JSON.parse(fs.readFileSync(path, "utf8").split("\n")[2] ?? "").toolUseResult).toEqual(
      calls[0] && "copy" in calls[0] ? calls[0].copy : {},
    );
  });

  it("a session that is refused leaves no sidecar", async () => {
    const library = quickLibrary();
    const path = putToolLog(library.environment.home, toolLog(calls), 0o600, library.now());
    await expect(flatten(library, TOOL_SESSION)).rejects.toMatchObject({ exitCode: 4 });
    expect(sidecars(library)).toEqual([]);
    expect(fs.readFileSync(path, "utf8")).toBe(toolLog(calls));
  });

  it("unflatten puts back what is left when an agent has cut the log short", async () => {
    const library = quickLibrary();
    const log = toolLog(calls);
    const path = putToolLog(library.environment.home, log);
    await flatten(library, TOOL_SESSION);
    const lines = fs.readFileSync(path, "utf8").split("\n");
    fs.writeFileSync(path, `${lines.slice(2, 5).join("\n")}\n`);
    expect(await unflatten(library, TOOL_SESSION, true)).toMatchObject({ isExact: false, blocks: 1 });
    expect(fs.readFileSync(path, "utf8")).toBe(`${log.split("\n").slice(2, 5).join("\n")}\n`);
  });
});

describe("a log that is read in many chunks", () => {
  const many = Array.from({ length: 400 }, (_, at) => callOf("Read", 4_000, {}, `toolu_many_${at}`));

  it("is forked and flattened without a line going wrong", async () => {
    const library = quickLibrary();
    const log = toolLog(many);
    const path = putToolLog(library.environment.home, log);
    const { fork } = await flatten(library, TOOL_SESSION, { fork: { uuid: () => crypto.randomUUID() } });
    const linesOf = (text: string): readonly string[] => text.trimEnd().split("\n");
    const flat = linesOf(fs.readFileSync(fork?.path ?? "", "utf8"));
    expect(() => flat.map((line) => JSON.parse(line))).not.toThrow();
    expect(fs.readFileSync(path, "utf8")).toBe(log);
    await unflatten(library, fork?.id ?? "", true);
    const results = (text: string): readonly unknown[] =>
      linesOf(text).flatMap((line) => JSON.parse(line).toolUseResult ?? []);
    expect(results(fs.readFileSync(fork?.path ?? "", "utf8"))).toEqual(results(log));
    expect(fs.readdirSync(dirname(path)).filter((name) => name.startsWith("."))).toEqual([]);
  });

  it("keeps a long block in pieces, which unflatten, retrieve and another flatten put together", async () => {
    const library = quickLibrary();
    const long = callOf("Bash", 2_500_000, {}, "toolu_pieces");
    const log = toolLog([...calls, { ...long, copy: undefined }]);
    const path = putToolLog(library.environment.home, log);
    const { sidecar } = await flatten(library, TOOL_SESSION);
    const { index } = openSidecar(nodeDisk, sidecar ?? "") ?? {};
    expect(index?.version).toBe(2);
    expect(index?.blocks.find(({ toolUseId }) => toolUseId === long.id)?.pieces).toHaveLength(3);
    const pointer = selectSession(library, [TOOL_SESSION]);
    expect(textOf(retrieveBlock(library, pointer, long.id)) === long.result).toBe(true);
    await flatten(library, TOOL_SESSION, { rule: { ...rule, minBytes: 50 }, force: true });
    expect(textOf(retrieveBlock(library, pointer, long.id)) === long.result).toBe(true);
    await unflatten(library, TOOL_SESSION, true);
    expect(fs.readFileSync(path, "utf8") === log).toBe(true);
  });

  it("is refused where a result is another one when it is to be moved out", async () => {
    const library = quickLibrary();
    const log = toolLog(many);
    const path = putToolLog(library.environment.home, log);
    const { mtimeMs } = fs.statSync(path);
    const changed = log.replace("Read x", "Read y");
    // The first file that is made is the sidecar's: by then it is known what goes into it.
    const open: typeof nodeDisk.open = (file, how, mode) => {
      if (how === "create" && file.startsWith(library.places.flat)) {
        fs.writeFileSync(path, changed);
        fs.utimesSync(path, mtimeMs / 1000, mtimeMs / 1000);
      }
      return library.disk.open(file, how, mode);
    };
    const watched = { ...library, disk: { ...library.disk, open } };
    await expect(flatten(watched, TOOL_SESSION)).rejects.toThrow("its log changed in the meantime");
    expect(fs.readFileSync(path, "utf8")).toBe(changed);
    expect(filesBelow(library.places.flat).size).toBe(0);
  });
});

const textOf = ({ blocks }: Retrieved): string =>
  blocks.map(({ text }) => [...(text?.() ?? [])].join("")).join("\n");

describe("retrieveBlock()", () => {
  const setUp = async (): Promise<Library> => {
    const library = quickLibrary();
    putToolLog(library.environment.home, toolLog(calls));
    await flatten(library, TOOL_SESSION);
    return library;
  };

  it("gives a text back from the sidecar, and images as bytes", async () => {
    const library = await setUp();
    const pointer = selectSession(library, [TOOL_SESSION]);
    const long = retrieveBlock(library, pointer, "toolu_long");
    expect(long).toMatchObject({ from: "sidecar", blocks: [{ tool: "Read" }] });
    expect(textOf(long)).toBe(calls[0]?.result);
    const [shot] = retrieveBlock(library, pointer, "toolu_shot#2").blocks;
    expect(shot).toMatchObject({ kind: "image", mediaType: "image/png", text: null });
    expect(Buffer.concat([...(shot?.data?.() ?? [])])).toEqual(Buffer.from(image.source.data, "base64"));
    expect(retrieveBlock(library, pointer, "toolu_shot").blocks).toHaveLength(2);
    const short = retrieveBlock(library, pointer, "toolu_short");
    expect(short.from).toBe("log");
    expect(textOf(short)).toBe(calls[1]?.result);
    expect(() => retrieveBlock(library, pointer, "toolu_none")).toThrow("no result of that call");
  });

  it("gives back from the archive what was compacted away", async () => {
    const library = quickLibrary();
    putToolLog(library.environment.home, toolLog(calls));
    const pointer = selectSession(library, [TOOL_SESSION]);
    await compactSession(library, pointer, { rule: { auto: false, aggressive: false, keep: 0 }, locking });
    const found = retrieveBlock(library, pointer, "toolu_long");
    expect(found).toMatchObject({ from: "archive", generation: 1 });
    expect(textOf(found)).toBe(calls[0]?.result);
  });
});

describe("--exact-tokens", () => {
  it("asks the API for the context before and after", async () => {
    const asked: {
      path: string;
      key: string;
      body: { model: string; messages: { role: string; content: unknown[] }[] };
    }[] = [];
    const server = createServer((request, response) => {
      let body = "";
      request.on("data", (part) => {
        body += part;
      });
      request.on("end", () => {
        asked.push({
          path: request.url ?? "",
          key: String(request.headers["x-api-key"]),
          body: JSON.parse(body),
        });
        response.end(JSON.stringify({ input_tokens: body.length }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      const { port } = server.address() as AddressInfo;
      const library = quickLibrary();
      putToolLog(library.environment.home, toolLog(calls));
      const countTokens = exactTokens({
        ANTHROPIC_API_KEY: "k",
        ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}/`,
      });
      const { contextTokensSaved, contextTokensTotal } = await flatten(library, TOOL_SESSION, {
        countTokens,
      });
      const [before, after] = asked.map(({ body }) => JSON.stringify(body).length);
      expect(contextTokensTotal).toBe(before);
      expect(contextTokensSaved).toBe((before ?? 0) - (after ?? 0));
      expect(asked[0]).toMatchObject({
        path: "/v1/messages/count_tokens",
        key: "k",
        body: { model: "claude-x" },
      });
      const messages = asked[0]?.body.messages ?? [];
      expect(messages.map(({ role }) => role)).toEqual([
        "user",
        "assistant",
        "user",
        "assistant",
        "user",
        "assistant",
        "user",
        "assistant",
      ]);
      expect(messages[2]?.content).toEqual([
        { type: "tool_result", tool_use_id: "toolu_long", content: calls[0]?.result },
      ]);
    } finally {
      server.close();
    }
  });

  it("changes nothing if the token-count API does not answer", async () => {
    const library = quickLibrary();
    const path = putToolLog(library.environment.home, toolLog(calls));
    const countTokens = exactTokens({ ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: "http://127.0.0.1:9" });
    await expect(flatten(library, TOOL_SESSION, { countTokens })).rejects.toMatchObject({ exitCode: 4 });
    expect(fs.readFileSync(path, "utf8")).toBe(toolLog(calls));
    expect(() => exactTokens({})).toThrow("ANTHROPIC_API_KEY");
  });
});
