import fs from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

describe("docs/JSON.md", () => {
  const text = fs.readFileSync(fileURLToPath(new URL("../../docs/JSON.md", import.meta.url)), "utf8");
  const folder = fileURLToPath(new URL("./golden/", import.meta.url));
  const names = fs.readdirSync(folder).flatMap((name) => (name.endsWith(".json") ? [name.slice(0, -5)] : []));

  const keysOf = (value: unknown): readonly string[] => {
    if (Array.isArray(value)) return value.flatMap(keysOf);
    if (typeof value !== "object" || value === null) return [];
    return Object.entries(value).flatMap(([key, inner]) => [key, ...keysOf(inner)]);
  };

  test("is checked against answers", () => {
    expect(names.length).toBeGreaterThan(5);
  });

  test.each(names)("documents every field of %s", (name) => {
    const keys = new Set(keysOf(JSON.parse(fs.readFileSync(join(folder, `${name}.json`), "utf8"))));
    expect(keys.size).toBeGreaterThan(3);
    const section =
      text.split(/^## /m).find((part) => part.split("\n")[0]?.includes(`\`${name.split("-")[0]}\``)) ?? "";
    // `blocks`, `blocks[]`, `sessions[].blocks`: a field of a list may be told with the list.
    const told = (key: string): RegExp => new RegExp(`\`(?:[A-Za-z]+\\[\\]\\.)*${key}(?:\\[\\])?\``);
    for (const key of keys) if (key !== "schemaVersion") expect(section, key).toMatch(told(key));
  });
});
