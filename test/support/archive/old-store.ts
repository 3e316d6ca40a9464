import fs from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sealJson, unsealJson } from "../../../src/archive/raw/sealed-json.ts";

const fixture = fileURLToPath(new URL("../../../fixtures/store-1/", import.meta.url));
const HOME_THEN = "/tmp/ana";

/** The sessions of the store, each with a log in two projects. */
export const OLD_IDS = {
  rewritten: "11111111-aaaa-4000-8000-000000000001",
  forgotten: "22222222-aaaa-4000-8000-000000000002",
  flattened: "33333333-aaaa-4000-8000-000000000003",
} as const;

/** A day after the store was written: what was forgotten can still be restored. */
export const OLD_STORE_NOW_MS: number = Date.UTC(2026, 10, 19);
/** When the logs last changed: a checkout would give them the time of the checkout. */
const LOGS_CHANGED_AT = new Date(Date.UTC(2026, 10, 17));

/** The two logs of a session. */
export function oldLogs(home: string, id: string): { readonly shop: string; readonly copy: string } {
  const at = (project: string): string => join(home, ".claude", "projects", project, `${id}.jsonl`);
  return { shop: at("-home-ana-shop"), copy: at("-home-ana-copy") };
}

/** Puts a store that the build of version 1 has written, and its logs, into a home. */
export function putOldStore(home: string): void {
  fs.cpSync(join(fixture, "claude"), join(home, ".claude"), { recursive: true });
  for (const id of Object.values(OLD_IDS))
    for (const log of Object.values(oldLogs(home, id))) fs.utimesSync(log, LOGS_CHANGED_AT, LOGS_CHANGED_AT);
  const store = join(home, ".sessions");
  fs.cpSync(join(fixture, "store"), store, { recursive: true });
  for (const name of fs.readdirSync(store, { recursive: true, encoding: "utf8" })) {
    const path = join(store, name);
    if (!/(?:manifest|tombstone)\.json$/.test(name)) continue;
    const record = JSON.stringify(unsealJson(fs.readFileSync(path)));
    fs.writeFileSync(path, sealJson(JSON.parse(record.replaceAll(HOME_THEN, home))));
  }
}
