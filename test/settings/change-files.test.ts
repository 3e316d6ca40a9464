import fs from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { UserError } from "../../src/errors.ts";
import { storeUpkeep } from "../../src/forget.ts";
import type { Library } from "../../src/fs/library.ts";
import { nodeProcesses } from "../../src/fs/processes.ts";
import { installFiles, type Package, uninstallFiles } from "../../src/integrations/install-files.ts";
import { FOREVER_DAYS } from "../../src/retention/retention-days.ts";
import { retentionFiles } from "../../src/retention/set-retention.ts";
import type { FilePlan } from "../../src/settings/change-files.ts";
import { changeFiles } from "../../src/settings/change-files.ts";
import { quickDisk } from "../crash/quick-disk.ts";
import { makeLibrary } from "../support/make-library.ts";

const locking = { processes: nodeProcesses, ...storeUpkeep, wait: async () => {} };

interface Ground {
  readonly library: Library;
  readonly path: string;
  set(days?: number): Promise<readonly FilePlan[]>;
  reset(): Promise<readonly FilePlan[]>;
  read(): string;
}

function ground(text: string | undefined): Ground {
  const library = { ...makeLibrary(), disk: quickDisk };
  const path = join(library.environment.home, ".claude", "settings.json");
  if (text !== undefined) {
    fs.mkdirSync(dirname(path), { recursive: true });
    fs.writeFileSync(path, text, { mode: 0o640 });
  }
  return {
    library,
    path,
    set: (days = FOREVER_DAYS) => changeFiles(library, retentionFiles(library, days), locking),
    reset: () => changeFiles(library, retentionFiles(library, undefined), locking),
    read: () => fs.readFileSync(path, "utf8"),
  };
}

const settings: readonly (readonly [string, string])[] = [
  ["comments", '// mine\n{\n  "a": 1 /* one */, // first\n  // last\n}\n'],
  ["odd indentation", '{ "b":\n [1,\n      2]\n\t,"c" :{"d":null}\n   }'],
  ["a BOM", '\ufeff{\r\n\t"a": "\\u00e9"\r\n}\r\n'],
  ["unknown keys and big numbers", '{"zzz":{"y":[{}]},"n":12345678901234567890,"f":1.0}'],
  ["{}", "{}"],
  ["{} on two lines", "{\n}\n"],
  ["nothing", ""],
  ["blanks", "  \n"],
  ["an own value", '{\n    "cleanupPeriodDays": 45\n}\n'],
];

describe("settings with", () => {
  test.each(settings)("%s: set and reset give the same bytes back", async (_, text) => {
    const { path, set, reset, read, library } = ground(text);
    await set();
    expect(read()).toMatch(/"cleanupPeriodDays"\s*:\s*99999/);
    expect(read().startsWith("\ufeff")).toBe(text.startsWith("\ufeff"));
    expect(fs.statSync(path).mode & 0o777).toBe(0o640);
    const once = read();
    await set();
    expect(read()).toBe(once);
    const backups = join(library.places.home, "backups");
    const copies = fs.readdirSync(backups).map((name) => fs.readFileSync(join(backups, name), "utf8"));
    expect(copies).toContain(text);
    await set(77);
    await reset();
    expect(read()).toBe(text);
  });

  test.each(settings)("%s: what others change in between stays", async (_, text) => {
    const { path, set, reset, read } = ground(text);
    await set();
    fs.writeFileSync(
      path,
      read()
        .replace(/\}\s*$/, ',"theirs":true}')
        .replace(/,(\s*\/\/ last\n\s*),/, ",$1"),
    );
    const changed = read();
    await set();
    expect(read()).toBe(changed);
    await reset();
    expect(read()).toContain('"theirs":true');
    expect(read()).not.toContain("99999");
    if (text.includes('Days": 45')) expect(read()).toContain('"cleanupPeriodDays": 45');
  });
});

const pack: Package = {
  program: { command: "/usr/bin/node", args: ["/opt/sessions/dist/sessions.cjs"] },
  variables: {},
  skill: { name: "session-finder", text: "---\nname: session-finder\n---\n" },
};

describe("install and uninstall on settings with", () => {
  const install = (library: Library): Promise<unknown> =>
    changeFiles(
      library,
      installFiles(library, pack, { agents: ["claude"], scope: "user", retention: true }),
      locking,
    );
  const uninstall = (library: Library): Promise<unknown> =>
    changeFiles(library, uninstallFiles(library, pack, { agents: ["claude"], scope: undefined }), locking);

  test.each(settings)("%s: the same bytes come back", async (_, text) => {
    const { library, path, read } = ground(text);
    await install(library);
    const installed = read();
    const events = ["PreCompact", "SessionEnd"];
    for (const event of events) expect(installed).toContain(`"${event}"`);
    expect(installed.startsWith("\ufeff")).toBe(text.startsWith("\ufeff"));
    await install(library);
    expect(read()).toBe(installed);
    await uninstall(library);
    expect(read()).toBe(text);
    expect(fs.readdirSync(dirname(path))).toEqual(["settings.json"]);
  });

  test.each(settings)("%s: with retention before, between and after", async (_, text) => {
    const { library, set, reset, read } = ground(text);
    await set(77);
    const set77 = read();
    await install(library);
    await uninstall(library);
    expect(read()).toBe(set77);
    await install(library);
    await reset();
    await uninstall(library);
    expect(read()).toBe(text);
  });

  test.each<[string, string, number]>([
    ["broken", '{\n  "a": 1,\n  "b" 2\n}', 0o600],
    ["read-only", "{}", 0o444],
    ["hooks of another kind", '{"hooks":[]}', 0o600],
  ])("%s: nothing is touched", async (_, text, mode) => {
    const { library, path, read } = ground(text);
    fs.chmodSync(path, mode);
    await expect(install(library)).rejects.toMatchObject({ name: "UserError", exitCode: 5 });
    expect(read()).toBe(text);
    expect(fs.readdirSync(dirname(path))).toEqual(["settings.json"]);
  });

  test("a link stays a link", async () => {
    const { library, path, read } = ground("{}");
    const target = join(dirname(dirname(path)), "real.json");
    fs.renameSync(path, target);
    fs.symlinkSync(target, path);
    await install(library);
    expect(fs.readFileSync(target, "utf8")).toContain("PreCompact");
    await uninstall(library);
    expect(read()).toBe("{}");
    expect(fs.lstatSync(path).isSymbolicLink()).toBe(true);
  });
});

describe("changeFiles()", () => {
  test("makes a file and its folder, and takes both back", async () => {
    const { path, set, reset, read } = ground(undefined);
    await set();
    expect(read()).toBe('{\n  "cleanupPeriodDays": 99999\n}\n');
    expect(fs.statSync(path).mode & 0o777).toBe(0o600);
    await reset();
    expect(fs.existsSync(dirname(path))).toBe(false);
  });

  test("leaves a folder that others use by then", async () => {
    const { path, set, reset } = ground(undefined);
    await set();
    fs.writeFileSync(join(dirname(path), "history.jsonl"), "");
    await reset();
    expect(fs.readdirSync(dirname(path))).toEqual(["history.jsonl"]);
  });

  test("asked twice to reset, leaves the value that it gave back", async () => {
    const { set, reset, read } = ground('{"cleanupPeriodDays":45}');
    await set();
    await reset();
    await reset();
    expect(read()).toBe('{"cleanupPeriodDays":45}');
    await set(60);
    expect(read()).toBe('{"cleanupPeriodDays":60}');
    await reset();
    await reset();
    expect(read()).toBe('{"cleanupPeriodDays":45}');
  });

  test.each([
    ["taken away", "\ufeff{}\n", (text: string) => text.slice(1)],
    ["put there", "{}\n", (text: string) => `\ufeff${text}`],
  ])("a BOM that was %s since is as others left it", async (_, text, edit) => {
    const { path, set, reset, read } = ground(text);
    await set();
    fs.writeFileSync(path, edit(read()));
    await set(60);
    expect(read()).toBe(edit(text.replace("{}", '{\n  "cleanupPeriodDays": 60\n}')));
    await reset();
    expect(read()).toBe(edit(text));
  });

  test("goes on where its own copies were removed", async () => {
    const { library, set, reset, read } = ground('{\n  "a": 1\n}\n');
    await set();
    fs.rmSync(library.places.backups, { recursive: true });
    await set(60);
    await reset();
    expect(read()).toBe('{\n  "a": 1\n}\n');
  });

  test("takes out a value that was never ours when asked to reset", async () => {
    const { reset, read } = ground('{"a":1,"cleanupPeriodDays":45}');
    await reset();
    expect(read()).toBe('{"a":1}');
  });

  test("a value that is there already is not ours to take back with another", async () => {
    const { library, set, read } = ground('{"cleanupPeriodDays":99999}');
    await set();
    expect(read()).toBe('{"cleanupPeriodDays":99999}');
    expect(fs.existsSync(join(library.places.home, "receipt.json"))).toBe(false);
  });

  test("a link stays a link, and the file that it leads to is changed", async () => {
    const { path, set, reset, read } = ground(undefined);
    const target = join(dirname(dirname(path)), "dotfiles", "claude.json");
    fs.mkdirSync(dirname(target), { recursive: true });
    fs.mkdirSync(dirname(path), { recursive: true });
    fs.writeFileSync(target, '{"a":1}');
    fs.symlinkSync("../dotfiles/claude.json", path);
    await set();
    expect(fs.lstatSync(path).isSymbolicLink()).toBe(true);
    expect(fs.readFileSync(target, "utf8")).toBe('{"a":1,"cleanupPeriodDays":99999}');
    await reset();
    expect(read()).toBe('{"a":1}');
    expect(fs.lstatSync(path).isSymbolicLink()).toBe(true);
  });

  test.each<[string, string | Buffer, number, RegExp]>([
    ["broken", '{\n  "a": 1,\n  "b" 2\n}', 0o600, /settings\.json:3:7: ":" is missing; nothing was changed/],
    ["a list", "[1]", 0o600, /settings\.json:1:1: settings are an object/],
    ["too deep", "[".repeat(100_000), 0o600, /settings\.json:1:\d+: /],
    ["not UTF-8", Buffer.from([0x7b, 0xff, 0x7d]), 0o600, /settings\.json: it is not valid UTF-8/],
    ["read-only", "{}", 0o444, /settings\.json: it is read-only \(mode 0444\)/],
  ])("%s: is not touched, and the message says where and why", async (_, bytes, mode, message) => {
    const { path, set, reset } = ground("");
    fs.writeFileSync(path, bytes);
    fs.chmodSync(path, mode);
    const before = fs.statSync(path);
    for (const action of [set, reset]) {
      const failure = await action().then(
        () => undefined,
        (error: unknown) => error,
      );
      expect(failure).toBeInstanceOf(UserError);
      expect(failure).toMatchObject({ exitCode: 5, message: expect.stringMatching(message) });
    }
    expect(fs.readFileSync(path)).toEqual(Buffer.from(bytes));
    expect(fs.statSync(path).mtimeMs).toBe(before.mtimeMs);
    expect(fs.readdirSync(dirname(path))).toEqual(["settings.json"]);
  });
});
