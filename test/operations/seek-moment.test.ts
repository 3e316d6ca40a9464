import { describe, expect, test } from "vitest";
import { seekMoment } from "../../src/operations/seek-moment.ts";
import { createMemoryDisk } from "../../src/store/memory-disk.ts";

const START = Date.UTC(2026, 0, 2);
const PATH = "/log.jsonl";

const line = (second: number, length: number): string =>
  `${JSON.stringify({ text: "x".repeat(length), timestamp: new Date(START + second * 1000).toISOString() })}\n`;

function diskWith(lines: readonly string[]): ReturnType<typeof createMemoryDisk> {
  const disk = createMemoryDisk(() => 0);
  const handle = disk.open(PATH, "create");
  disk.write(handle, Buffer.from(lines.join("")));
  disk.close(handle);
  return disk;
}

describe("seekMoment()", () => {
  const lines = Array.from({ length: 2_000 }, (_, second) => line(second, 100 + ((second * 7919) % 1_500)));
  const offsetOf = (second: number): number => lines.slice(0, second).join("").length;

  test("is before the lines of the moment, and not far before them", () => {
    const disk = diskWith(lines);
    for (const second of [0, 1, 2, 499, 1_000, 1_337, 1_998, 1_999]) {
      const found = seekMoment(disk, PATH, START + second * 1000);
      expect(found).toBeLessThanOrEqual(offsetOf(second));
      expect(offsetOf(second) - found).toBeLessThan(300 * 1024);
    }
  });

  test("is near the end for a moment behind all lines, and at the beginning for one before them", () => {
    const disk = diskWith(lines);
    expect(seekMoment(disk, PATH, START - 1)).toBe(0);
    expect(seekMoment(disk, PATH, START + 5_000_000)).toBeGreaterThan(offsetOf(1_999) - 300 * 1024);
  });

  test("goes no closer where lines do not tell their time, or are too long", () => {
    expect(seekMoment(diskWith(Array(2_000).fill(`{"text":"${"y".repeat(500)}"}\n`)), PATH, START)).toBe(0);
    expect(seekMoment(diskWith([line(0, 900_000), line(1, 900_000)]), PATH, START + 1_000)).toBe(0);
    expect(
      seekMoment(
        createMemoryDisk(() => 0),
        "/none.jsonl",
        START,
      ),
    ).toBe(0);
  });
});
