import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { makeWorld } from "../../support/make-world.ts";
import { bundle, runBundle } from "../../support/run-bundle.ts";
import { hasTmux, openPane, type Pane } from "../../support/tmux.ts";

if (!hasTmux) console.warn("tmux is missing: the picker is not tested on a terminal (apt install tmux)");

const demo = fileURLToPath(new URL("../../../fixtures/demo/", import.meta.url));
const SESSION = "87f01b2f-1b5d-461b-8db4-95cd4ce864a4";
const LOG = `.claude/projects/-home-ana-shop/${SESSION}.jsonl`;

const runtime = process.versions.deno === undefined ? "" : "run -A --quiet ";
const program = `'${process.execPath}' ${runtime}'${bundle}'`;

interface Desk {
  readonly home: string;
  readonly folder: string;
  readonly pane: Pane;
}

/** A terminal in a home with the example logs, whose agent is a script that says what it was called with. */
async function openDesk(
  size: { readonly columns: number; readonly rows: number } = { columns: 120, rows: 24 },
  hasLogs = true,
): Promise<Desk> {
  const { home, folder } = makeWorld();
  if (hasLogs) cpSync(demo, home, { recursive: true });
  const bin = join(home, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "claude"), '#!/bin/sh\necho "claude got: $*"\n');
  chmodSync(join(bin, "claude"), 0o755);
  const variables = {
    HOME: home,
    SESSIONS_GUARD: "off",
    TERM: "tmux-256color",
    PATH: `${bin}:${process.env.PATH}`,
  };
  return { home, folder, pane: await openPane({ ...size, folder, variables }) };
}

/** Starts the picker and waits until it shows sessions. */
async function startPick({ pane }: Desk, args = ""): Promise<string> {
  pane.type(`clear; ${program} pick ${args}`);
  pane.keys("Enter");
  return pane.waitFor(/^(?:\d+|no) sessions?\b[\s\S]*F1 keys\s*$/m);
}

/** Everything that a program could have left changed in the terminal. */
async function terminalOf({ pane }: Desk): Promise<object> {
  return { ...pane.flags(), modes: await pane.shell("stty -g") };
}

describe.skipIf(!hasTmux)("sessions pick on a terminal", () => {
  test("searches as you type, previews with context, and resumes with Enter", async () => {
    const desk = await openDesk();
    const { pane } = desk;
    const before = await terminalOf(desk);
    await startPick(desk);
    expect(pane.flags()).toMatchObject({ alternate: true });
    pane.type("token ref");
    const found = await pane.waitFor(/turn \d+ · \w+ · (?:current|compacted)/);
    expect(found).toMatch(/^> token ref/);
    // The folder of the session is not on this machine, so the agent is started where the user is.
    mkdirSync(join(desk.home, "shop"));
    pane.keys("Enter");
    const after = await pane.waitFor(/\$ $/m);
    expect(after).toMatch(/claude got: --resume|there is no folder/);
    expect(await terminalOf(desk)).toEqual(before);
  });

  test("shows the list alone at 50 columns, the preview on a key, and follows the size", async () => {
    const desk = await openDesk({ columns: 50, rows: 16 });
    const { pane } = desk;
    expect(await startPick(desk, "token")).not.toContain("│");
    pane.keys("C-o");
    await pane.waitFor(/turn \d+ · /);
    pane.resize(120, 30);
    const wide = await pane.waitFor("│");
    expect(wide.split("\n").filter((line) => line !== "")[1]).toMatch(/^\d+ sessions?/);
    pane.keys("C-c");
    await pane.waitFor(/\$ $/m);
  });

  test.each<[string, (desk: Desk) => void, number]>([
    ["Esc", ({ pane }) => pane.keys("Escape"), 0],
    ["Ctrl-C", ({ pane }) => pane.keys("C-c"), 130],
    ["SIGTERM", (desk) => signal(desk, "TERM"), 143],
    ["SIGHUP", (desk) => signal(desk, "HUP"), 129],
    ["SIGINT from outside", (desk) => signal(desk, "INT"), 130],
  ])("leaves the terminal as it was after %s", async (_, end, code) => {
    const desk = await openDesk();
    const before = await terminalOf(desk);
    await startPick(desk);
    expect(desk.pane.flags()).toMatchObject({ alternate: true, wrap: false });
    end(desk);
    await desk.pane.waitFor(/\$ $/m);
    desk.pane.type("echo code=$?");
    desk.pane.keys("Enter");
    await desk.pane.waitFor(`code=${code}`);
    expect(await terminalOf(desk)).toEqual(before);
  });

  test("leaves the terminal as it was after a crash, and reports it there", async () => {
    const desk = await openDesk();
    const before = await terminalOf(desk);
    const shim = join(desk.home, "crash.cjs");
    writeFileSync(shim, 'process.on("SIGUSR2", () => { throw new Error("a bug of ours"); });\n');
    const load = process.versions.deno === undefined ? `NODE_OPTIONS='--require ${shim}'` : "";
    if (load === "") return console.warn("Deno has no --require: the crash is tested on Node alone");
    desk.pane.type(`clear; ${load} ${program} pick`);
    desk.pane.keys("Enter");
    await desk.pane.waitFor(/F1 keys\s*$/);
    signal(desk, "USR2");
    expect(await desk.pane.waitFor(/\$ $/m)).toContain("a bug of ours");
    expect(await terminalOf(desk)).toEqual(before);
  });

  test("copies the id, through tmux, and says so", async () => {
    const desk = await openDesk();
    await startPick(desk, "token refresh");
    await desk.pane.waitFor(/turn \d+ · /);
    desk.pane.keys("C-t");
    const [, id = ""] = /Copied: ([0-9a-f-]+)/.exec(await desk.pane.waitFor("Copied: ")) ?? [];
    expect(desk.pane.buffer()).toBe(id);
    desk.pane.keys("C-c");
    await desk.pane.waitFor(/\$ $/m);
  });

  test("opens the session in the browser, at its best turn; the token is in a file and in no argument", async () => {
    const desk = await openDesk();
    const { pane, home } = desk;
    // Instead of a browser: keeps what it was called with and what the file says, and asks the server as the page would.
    writeFileSync(
      join(home, "bin", "xdg-open"),
      `#!/bin/sh\necho "$*" > "$HOME/opened"\nstat -c %a "$1" > "$HOME/mode"\ncp "$1" "$HOME/handed"\n`,
    );
    chmodSync(join(home, "bin", "xdg-open"), 0o755);
    await startPick(desk, "token refresh");
    await pane.waitFor(/turn \d+ · /);
    pane.keys("C-l");
    await pane.waitFor("Opened in the browser");
    const [file = "", ...others] = readFileSync(join(home, "opened"), "utf8").trim().split(" ");
    expect(others).toEqual([]);
    expect(file).toMatch(/\.sessions\/cache\/page-[\w-]+\.html$/);
    expect(readFileSync(join(home, "mode"), "utf8").trim()).toBe("600");
    const address = /url=([^"]+)"/.exec(readFileSync(join(home, "handed"), "utf8"))?.[1] ?? "";
    const url = new URL(address.replaceAll("&amp;", "&"));
    const { token, to } = Object.fromEntries(new URLSearchParams(url.hash.slice(1)));
    expect(to).toMatch(new RegExp(`^/session/claude%3A${SESSION}/\\d+\\?q=token\\+refresh$`));
    const asked = { headers: { "x-sessions-token": token ?? "" } };
    expect((await fetch(`${url.origin}/api/session?key=claude:${SESSION}`, asked)).status).toBe(200);
    // Somebody with the token has asked, so the file has done its work.
    expect(readdirSync(dirname(file)).filter((name) => name.startsWith("page-"))).toEqual([]);
    pane.keys("C-l");
    await pane.waitFor("Opened in the browser");
    pane.keys("Escape");
    await pane.waitFor(/\$ $/m);
    await expect(fetch(url.origin)).rejects.toThrow();
    expect(readdirSync(dirname(file)).filter((name) => name.startsWith("page-"))).toEqual([]);
  });

  test("says so if there is no browser", async () => {
    const desk = await openDesk();
    for (const name of ["xdg-open", "open", "wslview"]) {
      writeFileSync(join(desk.home, "bin", name), "#!/bin/sh\nexit 3\n");
      chmodSync(join(desk.home, "bin", name), 0o755);
    }
    await startPick(desk);
    desk.pane.keys("C-l");
    await desk.pane.waitFor("`sessions serve` prints an address to open");
    desk.pane.keys("C-c");
    await desk.pane.waitFor(/\$ $/m);
  });

  test("exports to a new file in the folder after asking", async () => {
    const desk = await openDesk();
    await startPick(desk, "token refresh");
    await desk.pane.waitFor(/turn \d+ · /);
    desk.pane.keys("C-x");
    await desk.pane.waitFor("Export as");
    desk.pane.type("m");
    await desk.pane.waitFor("Wrote ~/project/session-");
    desk.pane.keys("C-c");
    await desk.pane.waitFor(/\$ $/m);
    const [name = ""] = readdirSync(desk.folder);
    expect(readFileSync(join(desk.folder, name), "utf8")).toMatch(/^---\n/);
  });

  test("restores a session whose log is gone", async () => {
    const desk = await openDesk();
    const before = readFileSync(join(desk.home, LOG));
    expect(await runBundle(["archive"], { home: desk.home })).toMatchObject({ code: 0 });
    rmSync(join(desk.home, LOG));
    await startPick(desk, `--everywhere`);
    desk.pane.type("token refresh");
    await desk.pane.waitFor("its log is gone: ^R restores it");
    desk.pane.keys("Enter");
    await desk.pane.waitFor("Its log is gone");
    desk.pane.keys("C-r");
    expect(await desk.pane.waitFor("Put its log there?")).toContain(`~/${LOG}`);
    desk.pane.type("y");
    await desk.pane.waitFor("Restored ~/.claude/");
    expect(readFileSync(join(desk.home, LOG))).toEqual(before);
    await desk.pane.waitFor(/^(?!.*its log is gone)/s);
    desk.pane.keys("C-c");
    await desk.pane.waitFor(/\$ $/m);
  });

  test("lists open work, and the sessions again", async () => {
    const desk = await openDesk();
    await startPick(desk);
    desk.pane.keys("C-g");
    expect(await desk.pane.waitFor("open work: ")).toMatch(/☐|no sessions/);
    desk.pane.keys("Escape");
    await desk.pane.waitFor(/^\d+ sessions/m);
    desk.pane.keys("Escape");
    await desk.pane.waitFor(/\$ $/m);
  });

  test("shows the example history where there are no logs, and says so", async () => {
    const desk = await openDesk({ columns: 100, rows: 20 }, false);
    expect(await startPick(desk)).toContain("example history");
    desk.pane.keys("Enter");
    await desk.pane.waitFor("there is nothing to resume");
    desk.pane.keys("C-c");
    await desk.pane.waitFor(/\$ $/m);
    expect(readdirSync(desk.home)).not.toContain(".claude");
  });

  test("starts from `search -i`, and prints the chosen session for other programs", async () => {
    const desk = await openDesk();
    const { pane, home } = desk;
    pane.type(`clear; ${program} search -i token refresh --ids > ${home}/id; echo code=$?`);
    pane.keys("Enter");
    await pane.waitFor("Enter choose");
    await pane.waitFor(/turn \d+ · /);
    pane.keys("Enter");
    await pane.waitFor("code=0");
    expect(readFileSync(join(home, "id"), "utf8")).toBe(`${SESSION}\n`);

    pane.type(`clear; ${program} pick --json token refresh > ${home}/json; echo code=$?`);
    pane.keys("Enter");
    await pane.waitFor(/turn \d+ · /);
    pane.keys("Enter");
    await pane.waitFor("code=0");
    const answer: unknown = JSON.parse(readFileSync(join(home, "json"), "utf8"));
    const golden = JSON.stringify(answer, undefined, 2).replaceAll(home, "/home/ana");
    await expect(`${golden}\n`).toMatchFileSnapshot("../golden/pick.json");

    pane.type(`clear; ${program} pick --json > ${home}/json; echo code=$?`);
    pane.keys("Enter");
    await pane.waitFor("Enter choose");
    pane.keys("Escape");
    await pane.waitFor("code=1");
    expect(readFileSync(join(home, "json"), "utf8")).toBe("");
  });
});

/** Sends a signal to the picker, by its id: the only process of this home's program. */
function signal({ home }: Desk, name: string): void {
  const all = execFileSync("ps", ["-eo", "pid=,args="], { encoding: "utf8" }).split("\n");
  const mine = all.filter((line) => line.includes(bundle) && / pick\b/.test(line));
  for (const line of mine) {
    const pid = Number(line.trim().split(" ")[0]);
    if (environmentOf(pid).includes(`HOME=${home}\0`)) process.kill(pid, `SIG${name}`);
  }
}

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8");
  } catch {
    return "";
  }
}

describe("sessions pick without a terminal", () => {
  test.each([["pick"], ["search", "-i", "token"], ["pick", "--json"]])(
    "is refused: %s %s",
    async (...args) => {
      const { home } = makeWorld();
      cpSync(demo, home, { recursive: true });
      const { code, err } = await runBundle(
        args.filter((arg) => arg !== undefined),
        { home },
      );
      expect(code).toBe(2);
      expect(err).toMatch(/Cannot show the picker: this is not a terminal\nhint: `sessions search` prints/);
    },
  );
});
