import fs from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { agentNames } from "../../src/agents/agents.ts";
import { readConfig } from "../../src/fs/config.ts";
import { tryLock } from "../../src/fs/lock.ts";
import { nodeDisk as disk } from "../../src/fs/node-disk.ts";
import { findPlaces } from "../../src/fs/places.ts";
import { nodeProcesses } from "../../src/fs/processes.ts";
import { tempPathFor } from "../../src/fs/replace-file.ts";
import { STORE_VERSION } from "../../src/fs/store.ts";
import { temporaryFolder } from "../crash/temporary-folder.ts";

const text = fs.readFileSync(fileURLToPath(new URL("../../docs/STORAGE.md", import.meta.url)), "utf8");

describe("docs/STORAGE.md", () => {
  it("names every place", () => {
    const { home, ...places } = findPlaces({ home: "/h", variables: {}, folder: "/h" });
    expect(home).toBe("/h/.sessions");
    for (const place of Object.values(places))
      expect(text).toMatch(new RegExp(`^\\| \`${basename(place)}/?\` \\|`, "m"));
  });

  it("names every setting with its default", async () => {
    const { config } = await readConfig(disk, join(temporaryFolder(), "config.json"), "/h");
    const rowOf = (key: string): string =>
      text.split("\n").find((line) => line.startsWith(`| \`${key}`)) ?? "";
    for (const [key, value] of Object.entries(config)) {
      if (Array.isArray(value)) expect(rowOf(key)).toMatch(/\| `\[\]` \|$/);
      else if (key === "sources") {
        for (const agent of agentNames()) expect(rowOf("sources")).toContain(`.${agent}\``);
      } else {
        for (const [inner, preset] of Object.entries(value)) {
          const shown = Array.isArray(preset) ? "\\[\\]" : String(preset);
          expect(rowOf(`${key}.${inner}`)).toMatch(new RegExp(`\\| \`?${shown}\`? \\|$`));
        }
      }
    }
  });

  it("names every field of a lock", () => {
    const path = join(temporaryFolder(), "lock");
    expect(tryLock(disk, path, nodeProcesses).kind).toBe("locked");
    const example = text.match(/^\{"token".*\}$/m)?.[0] ?? "";
    expect(Object.keys(JSON.parse(example))).toEqual(Object.keys(JSON.parse(fs.readFileSync(path, "utf8"))));
  });

  it("has a row for the present version, and the shape of temp names", () => {
    expect(text).toMatch(new RegExp(`^\\| ${STORE_VERSION} \\| \\d`, "m"));
    expect(text).toContain("`.sessions-<16 hex digits>.tmp`");
    expect(basename(tempPathFor("/a/b"))).toMatch(/^\.sessions-[0-9a-f]{16}\.tmp$/);
  });
});
