#!/usr/bin/env node
// Finds a session, archives it, deletes its log and restores it: every byte comes back.
//
//   node keep-and-restore.mjs HOME WORD…
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync } from "node:fs";
import process from "node:process";
import { openHistory } from "agent-sessions";

const [home, ...words] = process.argv.slice(2);
if (home === undefined || words.length === 0) {
  console.error("usage: node keep-and-restore.mjs HOME WORD…");
  process.exit(2);
}

const history = await openHistory({ home, env: {}, now: Date.now });
// Ctrl-C ends the running call; what must not be left half done is finished first.
const stop = new AbortController();
const { signal } = stop;
process.once("SIGINT", () => stop.abort());

// Search: the best session first, with the passages that match.
const found = await history.search(words.join(" "), { limit: 1, signal });
const [best] = found.hits;
if (best === undefined) {
  console.error(`No session matches in ${found.coverage.sessions} sessions.`);
  process.exit(1);
}
const { id, title } = best.row.digest;
const { copies } = best.row;
console.log(`found     ${id}  ${title}${copies > 1 ? `  (${copies} copies)` : ""}`);
for (const { turn, text } of best.snippets) console.log(`          turn ${turn}: ${text.slice(0, 60)}`);

// Open it: turns, tool calls, files, open work.
const { session, digest, source } = await history.session(id, { everywhere: true, signal });
console.log(`opened    ${session.turns.length} turns, ${digest.files.length} files`);
if (source === null) {
  console.error("Its log is gone already.");
  process.exit(1);
}

// Archive it: its exact bytes, and a readable copy. From here on it is named by its path: several logs may share an id.
const sha256 = (path) => createHash("sha256").update(readFileSync(path)).digest("hex");
const before = sha256(source);
const { archived, unchanged, problems } = await history.archive(source, { signal });
console.log(`archived  ${archived[0]?.markdown ?? `${unchanged} unchanged`}`);
for (const { path, line, what } of problems) console.error(`${path}:${line}: ${what}`);

// Delete the log, and restore it.
rmSync(source);
const { sessions } = await history.restore(source, { signal });
const isSame = existsSync(source) && sha256(source) === before;
console.log(`restored  ${sessions[0]?.outcome}: ${isSame ? "the same bytes" : "other bytes"}`);
process.exit(isSame ? 0 : 1);
