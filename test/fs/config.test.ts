import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type ReadConfig, readConfig, readReadableConfig } from "../../src/fs/config.ts";
import { nodeDisk as disk } from "../../src/fs/node-disk.ts";
import { unreadableDisk } from "../crash/sick-disks.ts";
import { temporaryFolder } from "../crash/temporary-folder.ts";

const defaults = {
  exclude: [],
  sources: {},
  redact: [],
  hooks: { recall: "compact" },
  search: { limit: 10 },
  index: { outputChars: 2_000 },
  archive: { site: false },
  paths: {},
  sync: { remotes: [], everyMinutes: 60 },
  prices: {},
};

function readText(text: string): Promise<ReadConfig> {
  const path = join(temporaryFolder(), "config.json");
  fs.writeFileSync(path, text);
  return readConfig(disk, path, "/home/u");
}

describe("readConfig()", () => {
  it("returns the defaults if there is no file, and makes none", async () => {
    const folder = temporaryFolder();
    expect(await readConfig(disk, join(folder, "config.json"), "/home/u")).toEqual({
      config: defaults,
      unknownKeys: [],
    });
    expect(fs.readdirSync(folder)).toEqual([]);
  });

  it.each(["{}", " { } \n", "\ufeff{}", '{"search":{}}'])("returns the defaults for %j", async (text) => {
    expect(await readText(text)).toEqual({ config: defaults, unknownKeys: [] });
  });

  it("reads every key", async () => {
    const { config, unknownKeys } = await readText(`{
      "exclude": ["~/private/*", "/tmp/**"],
      "sources": { "claude": ["/mnt/old/.claude"], "pi": ["~/pi2"], "claw": [], "codex": ["~"] },
      "redact": ["ACME-[0-9]{6}", "\\\\bpin:\\\\s*\\\\d+"],
      "hooks": { "recall": "always" },
      "search": { "limit": 25 },
      "index": { "outputChars": 0 },
      "archive": { "site": true },
      "prices": { "gpt-5": { "input": 1.25, "output": 10 } }
    }`);
    expect(unknownKeys).toEqual([]);
    expect(config).toEqual({
      exclude: ["/home/u/private/*", "/tmp/**"],
      sources: { claude: ["/mnt/old/.claude"], pi: ["/home/u/pi2"], claw: [], codex: ["/home/u"] },
      redact: ["ACME-[0-9]{6}", "\\bpin:\\s*\\d+"],
      hooks: { recall: "always" },
      search: { limit: 25 },
      index: { outputChars: 0 },
      archive: { site: true },
      paths: {},
      sync: { remotes: [], everyMinutes: 60 },
      prices: { "gpt-5": { input: 1.25, output: 10 } },
    });
  });

  it("reports keys that it does not know, and uses the rest", async () => {
    const { config, unknownKeys } = await readText(
      '{"theme":"dark","search":{"limit":3,"limits":4},"hooks":{"Recall":"off"},"__proto__":1}',
    );
    expect(unknownKeys.toSorted()).toEqual(["__proto__", "hooks.Recall", "search.limits", "theme"]);
    expect(config).toEqual({ ...defaults, search: { limit: 3 } });
  });

  it.each([
    ["", "1:1", "the text ends too early"],
    ['{\n  "search": {\n    "limit": 5,\n  }\n}', "4:3", "a name in double quotes is missing"],
    ["{ // mine\n}", "1:3", "a name in double quotes is missing"],
    ["[]", "1:1", "must be an object in braces"],
    ['{\n  "exclude": "/a"\n}', "2:14", "exclude must be a list"],
    ['{"exclude": ["a", ""]}', "1:19", "exclude.1 must not be empty"],
    ['{"exclude": ["a", 5]}', "1:19", "exclude.1 must be text in quotes"],
    [
      '{"sources": {"pi": ["relative/path"]}}',
      "1:21",
      'sources.pi.0 must be an absolute path or start with "~/"',
    ],
    ['{"sources": []}', "1:13", "sources must be an object in braces"],
    ['{"sources": {"pi": "/p"}}', "1:20", "sources.pi must be a list"],
    ['{"redact": ["("]}', "1:13", "redact.0 must be a regular expression"],
    [
      '{"redact": ["x", "(a+)+$"]}',
      "1:18",
      "redact.1 could run forever on some texts: it repeats something that matches the same text in several " +
        "ways, as in (a+)+; repeat it once",
    ],
    [
      '{"redact": ["\\\\S+:\\\\S+@"]}',
      "1:13",
      "redact.0 could run for hours on some texts: several repetitions in it match the same text, as in \\S+:\\S+@; " +
        "exclude what comes next from each, as in [^\\s:]+:[^\\s@]+@",
    ],
    ['{"hooks": {"recall": "sometimes"}}', "1:22", 'hooks.recall must be "off", "compact" or "always"'],
    ['{"hooks": []}', "1:11", "hooks must be an object in braces"],
    ['{"search": {"limit": 0}}', "1:22", "search.limit must be a whole number from 1 to 1000"],
    ['{"search": {"limit": 2.5}}', "1:22", "search.limit must be a whole number from 1 to 1000"],
    ['{"search": {"limit": "10"}}', "1:22", "search.limit must be a whole number from 1 to 1000"],
    ['{"search": null}', "1:12", "search must be an object in braces"],
    ['{"machine": ""}', "1:13", "machine must not be empty"],
    ['{"paths": {"/a": "b"}}', "1:18", 'paths./a must be an absolute path or start with "~/"'],
    ['{"sync": {"remotes": "home"}}', "1:22", "sync.remotes must be a list"],
    ['{"sync": {"everyMinutes": 0}}', "1:27", "sync.everyMinutes must be a whole number from 1 to 100000"],
    ['{"index": {"outputChars": -1}}', "1:27", "index.outputChars must be a whole number from 0 to 1000000"],
  ])("%j breaks at %s and is left alone", async (text, place, what) => {
    const path = join(temporaryFolder(), "config.json");
    fs.writeFileSync(path, text);
    await expect(readConfig(disk, path, "/home/u")).rejects.toThrow(
      expect.objectContaining({
        name: "UserError",
        exitCode: 5,
        message: `Cannot read the settings: ${path}:${place}: ${what}`,
        hint: expect.any(String),
      }),
    );
    expect(fs.readFileSync(path, "utf8")).toBe(text);
  });

  it.each([
    [
      '{"exclude":["/a", 5, "/b"],"redact":["x", "(a+)+$"]}',
      { exclude: ["/a", "/b"], redact: ["x"] },
      true,
      true,
    ],
    ['{"search":{"limit":0,"more":1},"exclude":["/a"]}', { exclude: ["/a"] }, false, false],
    [
      '{"search":5,"sync":{"remotes":["r"],"everyMinutes":0}}',
      { sync: { remotes: ["r"], everyMinutes: 60 } },
      false,
      false,
    ],
    ['{"paths":{"/a":"b","/c":"/d","e":"/f"}}', { paths: { "/c": "/d" } }, false, false],
    ['{"exclude":"/a"}', {}, false, true],
    ['["redact"]', {}, true, true],
    ["{", {}, true, true],
    [" ".repeat(1024 * 1024 + 1), {}, true, true],
  ])(
    "readReadableConfig() keeps what is right in %.60j",
    async (text, kept, isRedactUnknown, isExcludeUnknown) => {
      const path = join(temporaryFolder(), "config.json");
      fs.writeFileSync(path, text);
      expect(await readReadableConfig(disk, path, "/home/u")).toEqual({
        config: { ...defaults, ...kept },
        fault: { message: expect.stringContaining(path), isRedactUnknown, isExcludeUnknown },
      });
      expect(fs.readFileSync(path, "utf8")).toBe(text);
    },
  );

  it("says that a file can't be read, or is too large to be settings", async () => {
    const path = join(temporaryFolder(), "config.json");
    fs.writeFileSync(path, " ".repeat(1024 * 1024 + 1));
    await expect(readConfig(disk, path, "/home/u")).rejects.toThrow(/larger than 1048576 bytes/);
    const shut = unreadableDisk(disk, (given) => given === path);
    await expect(readConfig(shut, path, "/home/u")).rejects.toThrow(/Cannot read .*permission denied/);
  });
});
