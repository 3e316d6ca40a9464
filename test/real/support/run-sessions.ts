import { spawn } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { isRow, type Row } from "./claude-files.ts";

const bundle = fileURLToPath(new URL("../../../dist/sessions.cjs", import.meta.url));

export interface Places {
  readonly home: string;
  /** Where the program may keep its own files. */
  readonly store: string;
}

/** Runs the built program as a user would and gives its JSON answer. Nothing of this machine's settings reaches it. */
export function askSessions(places: Places, words: readonly string[]): Promise<Row> {
  const runtime = process.versions.deno === undefined ? [] : ["run", "-A"];
  const child = spawn(process.execPath, [...runtime, bundle, ...words, "--json"], {
    cwd: places.home,
    env: {
      PATH: process.env.PATH,
      HOME: places.home,
      SESSIONS_HOME: places.store,
      NO_COLOR: "1",
      SESSIONS_GUARD: "off",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let answer = "";
  let talk = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    answer += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    talk += text;
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      const said = `sessions ${words.join(" ")} --json ended with ${String(code)}`;
      try {
        const value: unknown = JSON.parse(answer);
        if (code !== 0 || !isRow(value)) throw new Error(said);
        resolve(value);
      } catch (error) {
        reject(new Error(`${said}: ${talk.slice(0, 2000) || answer.slice(0, 500)}`, { cause: error }));
      }
    });
  });
}

/** The same for many, a few at a time: each is a process of its own. */
export async function forEachOf<Item>(
  items: readonly Item[],
  atOnce: number,
  act: (item: Item) => Promise<void>,
): Promise<void> {
  const left = [...items];
  const work = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await act(item);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}
