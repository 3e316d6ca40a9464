import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { summaryOfContinuation } from "../src/agents/claw/message.ts";
import { codex } from "../src/agents/codex/codex.ts";
import { openStorage } from "../src/agents/opencode/storage.ts";
import { piSummary } from "../src/agents/pi/summary.ts";
import { readWorkList } from "../src/agents/work-list.ts";
import { openEndsOf } from "../src/extract/reply-open-work.ts";
import { outlineOf } from "../src/extract/reply-outline.ts";
import { plainSummary } from "../src/extract/summary-text.ts";
import { matchesPath } from "../src/fs/glob.ts";
import { safeName } from "../src/fs/safe-name.ts";
import { quoteLines } from "../src/render/agent/quote-text.ts";
import { comparablePath } from "../src/search/opensearch/session-documents.ts";
import { chooseTitle } from "../src/session/title.ts";
import { makeLibrary } from "./support/make-library.ts";
import { parseBytes } from "./support/parse-logs.ts";
import { plainSession, toolCall } from "./support/plain-session.ts";

const COUNT = 400_000;
/** In seconds; a function that starts again at each character takes minutes. */
const MOST_SECONDS = 20;

function titleOf(branch: string | null, command?: string): string | null {
  const preamble = command === undefined ? [] : [toolCall({ name: "Bash", command })];
  const session = plainSession({ branch, preamble });
  return chooseTitle({ ...session, agentNames: [], given: [] }).title;
}

/** What the storage of opencode has of a session whose files are these texts. */
function readStorage(info: string, todo: string): string {
  const { disk, environment } = makeLibrary();
  const files = { "session/global/ses_1.json": info, "todo/ses_1.json": todo };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(environment.home, name)), { recursive: true });
    writeFileSync(join(environment.home, name), text);
  }
  return openStorage(disk, environment.home).sessions[0]?.state() ?? "";
}

function callInCodex(namespace: string): unknown {
  const payload = { type: "function_call", call_id: "c", name: "read", namespace, arguments: "{}" };
  return parseBytes(codex, `${JSON.stringify({ type: "response_item", payload })}\n`).entries;
}

const lists = { readFiles: [], modifiedFiles: [] };

test.each<[string, (run: string) => unknown, readonly string[]]>([
  ["quoteLines()", (run) => quoteLines(`a${run}b`), ["\n"]],
  ["summaryOfContinuation()", (run) => summaryOfContinuation(`a${run}b`), ["\n"]],
  ["plainSummary()", (run) => plainSummary(`a${run}b`), ["\n", " \n", "\r\n"]],
  [
    "piSummary()",
    (run) => piSummary({ history: null, turnPrefix: null, earlier: `a${run}b`, files: lists }),
    [" ", "\n"],
  ],
  ["readWorkList()", (run) => readWorkList({ todos: `${run}b` }), [" ", "\n", "\r"]],
  ["openEndsOf()", (run) => openEndsOf(`## Next steps\n\n- a${run}b`), [" ", ":", "."]],
  ["outlineOf(), after bold words", (run) => outlineOf(`**a**${run}b`), [" "]],
  ["outlineOf(), in a table", (run) => outlineOf(`|${run}b`), ["-", "|", " "]],
  ["safeName()", (run) => safeName(`a${run}b`), ["-.", ".", "-"]],
  ["matchesPath()", (run) => matchesPath("b", `a${run}b`), ["/"]],
  ["comparablePath()", (run) => comparablePath(`a${run}b`), ["/"]],
  ["chooseTitle(), of a branch", (run) => titleOf(`a-${run}b`), ["1", "-1", "_"]],
  ["chooseTitle(), of a command", (run) => titleOf(null, run), ["git commit ", "gh pr create "]],
  ["the storage of opencode", (run) => readStorage(`{"id":${run}"ses_1"}`, `[${run}]`), [" ", "\t"]],
  ["a call in a log of Codex", (run) => callInCodex(`a${run}b`), ["_"]],
])("%s takes no longer for a long run of the same characters", (_, read, runs) => {
  for (const run of runs) {
    const start = performance.now();
    read(run.repeat(COUNT / run.length));
    expect(performance.now() - start, JSON.stringify(run)).toBeLessThan(MOST_SECONDS * 1_000);
  }
});
