import { Buffer } from "node:buffer";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";

/** A home with logs that no repository can hold. Every session in it begins with its own `request`. */
export interface BrokenHome {
  /** To be used as HOME. */
  readonly home: string;
  /** Ids of sessions that must be listed, with the request that must be found in each. */
  readonly readable: readonly { readonly id: string; readonly request: string; readonly path: string }[];
  /** A log that may not be opened; undefined where the user may open everything (root). */
  readonly unreadable: string | undefined;
  /** Folders that lead back to themselves. */
  readonly loops: readonly string[];
  /** A pipe with the name of a log: who opens it waits for ever. Undefined where there are no pipes. */
  readonly pipe: string | undefined;
  /** The log with the huge line, and how long that line is in bytes. */
  readonly huge: { readonly path: string; readonly lineBytes: number };
  remove(): void;
}

const MEGABYTE = 1024 * 1024;

export function makeBrokenHome(options: { readonly hugeLineMb?: number } = {}): BrokenHome {
  const home = mkdtempSync(join(tmpdir(), "sessions-broken-home-"));
  const projects = join(home, ".claude", "projects");
  const project = join(projects, "-home-ana-shop");
  mkdirSync(project, { recursive: true });

  const plain = { id: sessionId(1), request: "Find the plain log.", path: logPath(project, 1) };
  writeFileSync(plain.path, `${turn(plain.id, plain.request)}\n`, { mode: 0o600 });

  const huge = {
    id: sessionId(2),
    request: "Find the words around the huge line.",
    path: logPath(project, 2),
  };
  const lineBytes = writeHugeLog(huge.path, huge.id, huge.request, options.hugeLineMb ?? 50);

  const nested = { id: sessionId(3), request: "Find the log with the deep line.", path: logPath(project, 3) };
  // Deeper than a recursive parser's stack; JSON all the same.
  const deep = `{"type":"deep","value":${"[".repeat(200_000)}${"]".repeat(200_000)}}`;
  writeFileSync(nested.path, `${turn(nested.id, nested.request)}\n${deep}\n`, { mode: 0o600 });

  const locked = logPath(project, 4);
  writeFileSync(locked, `${turn(sessionId(4), "Nobody may read this.")}\n`);
  chmodSync(locked, 0o000);

  mkdirSync(logPath(project, 5));
  symlinkSync(join(project, "no-such-file.jsonl"), logPath(project, 6));

  return {
    home,
    readable: [plain, huge, nested],
    unreadable: process.getuid?.() === 0 ? undefined : locked,
    loops: makeLoops(projects, project),
    pipe: makePipe(logPath(project, 7)),
    huge: { path: huge.path, lineBytes },
    remove() {
      chmodSync(locked, 0o600);
      rmSync(home, { recursive: true, force: true });
    },
  };
}

function sessionId(number: number): string {
  return `${String(number).repeat(8)}-0000-4000-8000-000000000000`;
}

function logPath(project: string, number: number): string {
  return join(project, `${sessionId(number)}.jsonl`);
}

function turn(session: string, text: string): string {
  const uuid = `${session.slice(0, 8)}-1111-4000-8000-000000000000`;
  return JSON.stringify({
    parentUuid: null,
    isSidechain: false,
    userType: "external",
    cwd: "/home/ana/shop",
    sessionId: session,
    version: "2.1.37",
    gitBranch: "main",
    type: "user",
    message: { role: "user", content: text },
    uuid,
    timestamp: "2026-10-15T08:00:00.000Z",
  });
}

/** The output of a tool as one line, written in pieces so that it never stands in memory as a whole. */
function writeHugeLog(path: string, session: string, request: string, megabytes: number): number {
  const first = turn(session, request);
  const [head, tail] = JSON.stringify({
    parentUuid: `${session.slice(0, 8)}-1111-4000-8000-000000000000`,
    isSidechain: false,
    userType: "external",
    cwd: "/home/ana/shop",
    sessionId: session,
    version: "2.1.37",
    gitBranch: "main",
    type: "user",
    message: {
      role: "user",
      content: [{ tool_use_id: "toolu_01HugeHugeHugeHuge", type: "tool_result", content: "@" }],
    },
    uuid: `${session.slice(0, 8)}-2222-4000-8000-000000000000`,
    timestamp: "2026-10-15T08:00:05.000Z",
  }).split("@");
  const last = turn(session, "Find the words behind the huge line.").replace("-1111-", "-3333-");
  const piece = Buffer.from('all work and no play \\"makes\\" jack a dull log\\n'.repeat(24_000)).subarray(
    0,
    MEGABYTE - 64,
  );
  const file = openSync(path, "w", 0o600);
  try {
    writeSync(file, `${first}\n${head}`);
    // Each piece ends on a whole repetition, so that no escape is cut in two.
    const whole = piece.subarray(0, piece.lastIndexOf("\\n") + 2);
    let written = 0;
    while (written < megabytes * MEGABYTE) written += writeSync(file, whole);
    writeSync(file, `${tail}\n${last}\n`);
    return Buffer.byteLength(`${head}${tail}`) + written;
  } finally {
    closeSync(file);
  }
}

function makeLoops(projects: string, project: string): readonly string[] {
  const self = join(projects, "-loop-to-itself");
  symlinkSync(self, self);
  const up = join(project, "up");
  symlinkSync(projects, up);
  const [left, right] = [join(projects, "-left"), join(projects, "-right")];
  mkdirSync(left);
  mkdirSync(right);
  symlinkSync(right, join(left, "over"));
  symlinkSync(left, join(right, "over"));
  return [self, up, left, right];
}

function makePipe(path: string): string | undefined {
  return spawnSync("mkfifo", [path]).status === 0 ? path : undefined;
}
