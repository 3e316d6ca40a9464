import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import process from "node:process";

/** A process that opens files every 5 ms, appends a numbered line and closes them. */
export interface Appender {
  /** Ends it; how many lines each file got. */
  end(): Promise<number>;
}

export async function startAppending(script: string, paths: readonly string[]): Promise<Appender> {
  const flags = process.versions.deno === undefined ? [] : ["run", "-A", "--no-config"];
  const child = spawn(process.execPath, [...flags, script, ...paths], { stdio: ["pipe", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (part) => {
    output += part;
  });
  await once(child.stdout, "data");
  return {
    async end() {
      child.stdin.end();
      await once(child, "close");
      return Number(output.trim().split("\n").at(-1));
    },
  };
}

/** The numbers in a file, in its order. */
export function numbersIn(path: string): readonly number[] {
  return [...fs.readFileSync(path, "utf8").matchAll(/^\{"type":"number","n":(\d+)\}$/gm)].map(([, n]) =>
    Number(n),
  );
}

export function upTo(count: number): readonly number[] {
  return Array.from({ length: count }, (_, n) => n);
}
