import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { expect, test } from "vitest";
import { intercept } from "../../crash/intercept.ts";
import {
  applyChanges,
  engineIn,
  hastyDisk,
  mustRead,
  withIndexFolder,
} from "../../support/index/index-folder.ts";
import { keysOf, planFor, session, words } from "../../support/index/tiny-history.ts";

test("a manifest gets its name when the segments that it names are durable, and their names too", async () => {
  await withIndexFolder(async (folder) => {
    const calls: string[] = [];
    let manifests = 0;
    const disk = intercept(hastyDisk, (call, run) => {
      if (call.to !== undefined && basename(call.to) === "manifest") {
        manifests++;
        const named = readFileSync(call.path, "utf8").match(/[0-9a-f]{16}\.seg/g) ?? [];
        expect(named.length).toBeGreaterThan(0);
        for (const file of named) {
          const written = calls.lastIndexOf(`write ${file}`);
          const durable = calls.lastIndexOf(`fsync ${file}`);
          expect([written >= 0, durable > written], file).toEqual([true, true]);
          expect(calls.lastIndexOf("fsyncFolder"), file).toBeGreaterThan(calls.indexOf(`open ${file}`));
        }
      }
      if (call.mutates) calls.push(call.path === folder ? call.name : `${call.name} ${basename(call.path)}`);
      return run();
    });
    const engine = engineIn(folder, {
      disk,
      merge: (segments) => (segments.length > 1 ? segments.map((_, i) => i) : []),
    });
    const put = (key: string) => ({ kind: "put", session: session(key, "x", ["deploy"]) }) as const;
    await applyChanges(engine, [put("a"), { kind: "commit" }, put("b")]);
    // Two commits and a merge.
    expect(manifests).toBeGreaterThanOrEqual(3);
    const reader = await mustRead(engine);
    const answer = await reader.search(planFor(words("deploy")));
    await reader.close();
    if (answer.kind !== "answer") throw new Error(answer.what);
    expect(keysOf(answer).sort()).toEqual(["a", "b"]);
  });
});
