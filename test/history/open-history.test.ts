import { cpSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { type History, type HistoryOptions, openHistory } from "../../src/index.ts";
import { makeWorld } from "../support/make-world.ts";

const demo = fileURLToPath(new URL("../../fixtures/demo/", import.meta.url));
const SESSION = "87f01b2f-1b5d-461b-8db4-95cd4ce864a4";

/** A history with the example logs, in a temporary home. */
async function open(options: Partial<HistoryOptions> = {}): Promise<History & { readonly home: string }> {
  const { home, now } = makeWorld();
  cpSync(demo, home, { recursive: true });
  return { ...(await openHistory({ home, env: {}, now, ...options })), home };
}

describe("openHistory()", () => {
  test("writes nothing before a call does", async () => {
    const { home } = await open();
    expect(readdirSync(home)).not.toContain(".sessions");
  });

  test("masks secrets in what it returns, unless it was opened with reveal", async () => {
    const secret = `ghp_${"a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8".slice(0, 36)}`;
    expect((await open()).mask({ text: secret }).text).not.toContain(secret);
    expect((await open({ reveal: true })).mask({ text: secret }).text).toBe(secret);
  });

  test("answers from the example history only if there are no logs", async () => {
    const { home, now } = makeWorld();
    const empty = await openHistory({ home, env: {}, now, demoHome: demo });
    expect([empty.demo, (await empty.list()).total > 0]).toEqual([true, true]);
    expect((await open({ demoHome: demo })).demo).toBe(false);
  });

  test("restores exactly what was archived, to another home", async () => {
    const history = await open();
    const { archived } = await history.archive();
    const to = join(history.home, "other");
    const { sessions } = await history.restore("all", { to });
    expect(sessions.map(({ id }) => id).sort()).toEqual(archived.map(({ id }) => id).sort());
    expect(sessions.every(({ outcome }) => outcome === "restored")).toBe(true);
  });

  test("reports progress of long calls", async () => {
    const seen: number[] = [];
    await (await open()).archive(undefined, { onProgress: ({ files }) => seen.push(files) });
    expect(seen.length).toBeGreaterThan(1);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  });

  test.each<[string, (history: History, signal: AbortSignal) => Promise<unknown>]>([
    ["search", (history, signal) => history.search("token", { signal })],
    ["list", (history, signal) => history.list({ signal })],
    ["session", (history, signal) => history.session(SESSION, { signal })],
    ["files", (history, signal) => history.files("*.ts", { signal })],
    ["pending", (history, signal) => history.pending({ signal })],
    ["grep", (history, signal) => history.grep("token", { signal }).next()],
    ["overview", (history, signal) => history.overview({ signal })],
    ["export", (history, signal) => history.export(SESSION, { format: "md", signal })],
    ["summary", (history, signal) => history.summary(SESSION, { signal })],
    ["index", (history, signal) => history.index({ signal })],
    ["archive", (history, signal) => history.archive(undefined, { signal })],
    ["forget", (history, signal) => history.forget(SESSION, { signal })],
    ["compact", (history, signal) => history.compact(SESSION, { signal })],
    ["flatten", (history, signal) => history.flatten(SESSION, { signal })],
    ["retention", (history, signal) => history.retention({ signal })],
    ["setRetention", (history, signal) => history.setRetention("forever", { signal })],
  ])("ends %s with the reason of an aborted signal", async (_name, call) => {
    const history = await open();
    await expect(call(history, AbortSignal.abort(new Error("enough")))).rejects.toThrow("enough");
  });

  test("ends an archive run between two sessions when its signal is aborted", async () => {
    const history = await open();
    const stop = new AbortController();
    const running = history.archive(undefined, {
      signal: stop.signal,
      onProgress: ({ files }) => {
        if (files > 0) stop.abort(new Error("enough"));
      },
    });
    await expect(running).rejects.toThrow("enough");
    const { archived, unchanged } = await history.archive();
    expect([archived.length > 0, unchanged > 0]).toEqual([true, true]);
  });
});
