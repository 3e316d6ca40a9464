/** Writes to an index again and again, in a process of its own: `write-index <folder> <name> <commits>`. */
import process from "node:process";
import { engineIn } from "../../../support/index/index-folder.ts";
import { session } from "../../../support/index/tiny-history.ts";

const [folder = "", name = "", commits = "1"] = process.argv.slice(2);
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const engine = engineIn(folder, {
  merge: (segments) => (segments.length > 3 ? segments.map((_, i) => i) : []),
});

for (let i = 0; i < Number(commits); i++) {
  let opened = await engine.write();
  for (; opened.kind === "locked"; opened = await engine.write()) await pause(5);
  if (opened.kind !== "open") throw new Error(opened.what);
  const { writer } = opened;
  await writer.put(session(`${name}-${i}`, `commit number ${i}`, ["deploy", `turn of ${name}`]));
  // The same one again and again: there must never be two of it, nor none.
  await writer.put(session("shared", `by ${name}`, ["deploy"]));
  const committed = await writer.commit({ tidy: "all" });
  if (committed.kind !== "committed") throw new Error(committed.what);
  await writer.close();
  process.stdout.write(`${i}\n`);
}
