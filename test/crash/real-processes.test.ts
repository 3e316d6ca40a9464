import { once } from "node:events";
import fs from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { nodeDisk } from "../../src/fs/node-disk.ts";
import { isTempName } from "../../src/fs/replace-file.ts";
import { sweepTempFiles } from "../../src/fs/sweep-temp-files.ts";
import { killAtRandom, randomFrom } from "./kill-at-random.ts";
import { bundleScript, spawnScript } from "./spawn-script.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const SEED = 20_241;

const replaceForever = bundleScript("scripts/replace-forever.ts");
const contend = bundleScript("scripts/contend.ts");
afterAll(() => {
  replaceForever.remove();
  contend.remove();
});

/** Runs to its end and gives what it printed. */
async function run(script: string, args: readonly string[]): Promise<{ code: unknown; output: string }> {
  const child = spawnScript(script, args);
  let output = "";
  child.stdout?.on("data", (part) => {
    output += part;
  });
  child.stderr?.on("data", (part) => {
    output += part;
  });
  const [code] = await once(child, "close");
  return { code, output };
}

describe("replaceFile() in a process that is killed", () => {
  it("leaves a whole file each time", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "file");
    fs.writeFileSync(path, "0\n".repeat(3_000));
    let last = 0;
    let progress = 0;
    // Goes on, with more time, until a slow disk has let one of them replace the file.
    for (let kill = 0; kill < 8 || progress === 0; kill++) {
      const options = { seed: SEED + kill, withinMs: 60 + 10 * kill };
      const ended = await killAtRandom(replaceForever.path, [path], options);
      expect(ended, ended.stderr).toMatchObject({ killed: true, stderr: "" });
      const lines = fs.readFileSync(path, "utf8").split("\n");
      expect(lines.length).toBe(3_001);
      expect(new Set(lines.slice(0, -1)).size).toBe(1);
      const number = Number(lines[0]);
      if (number > 0)
        expect(nodeDisk.stat(path)?.mtimeMs).toSatisfy(
          (ms) => number === last || ms === 1_600_000_000_000 + number,
        );
      if (number !== last) progress++;
      last = number;
    }
    expect(fs.readdirSync(folder).filter((name) => name !== "file" && !isTempName(name))).toEqual([]);
    sweepTempFiles(nodeDisk, folder, { now: Number.MAX_SAFE_INTEGER });
    expect(fs.readdirSync(folder)).toEqual(["file"]);
  });
});

describe("the lock between real processes", () => {
  it("lets one in at a time", async () => {
    const folder = temporaryFolder();
    const runs = await Promise.all([1, 2, 3, 4].map(() => run(contend.path, [folder, "15"])));
    for (const { code, output } of runs)
      expect({ code, output }).toEqual({ code: 0, output: `begun\n${"round\n".repeat(15)}` });
    expect(fs.readFileSync(join(folder, "counter"), "utf8")).toBe("60");
    expect(fs.readdirSync(folder)).toEqual(["counter"]);
  });

  it("lets one in at a time, and somebody in at last, while they are killed at random", async () => {
    const folder = temporaryFolder();
    const random = randomFrom(SEED);
    const lane = async (): Promise<readonly string[]> => {
      const outputs: string[] = [];
      for (let kill = 0; kill < 4; kill++) {
        const seed = Math.floor(random() * 2 ** 31);
        const ended = await killAtRandom(contend.path, [folder, "1000000"], { seed, withinMs: 300 });
        expect(ended, ended.stdout + ended.stderr).toMatchObject({ killed: true, stderr: "" });
        outputs.push(ended.stdout);
      }
      return outputs;
    };
    const outputs: string[] = [];
    const rounds = (): number => outputs.join("").split("round\n").length - 1;
    do outputs.push(...(await Promise.all([lane(), lane(), lane(), lane()])).flat());
    while (rounds() === 0);
    for (const output of outputs) expect(output).not.toContain("TWO INSIDE");
    const counted = Number(fs.readFileSync(join(folder, "counter"), "utf8"));
    expect(counted).toBeGreaterThanOrEqual(rounds());
    // A round that was counted but not told: at most one per process that was killed.
    expect(counted).toBeLessThanOrEqual(rounds() + outputs.length);
    expect(await run(contend.path, [folder, "1"])).toEqual({ code: 0, output: "begun\nround\n" });
    sweepTempFiles(nodeDisk, folder, { now: Number.MAX_SAFE_INTEGER });
    expect(fs.readdirSync(folder)).toEqual(["counter"]);
  });
});
