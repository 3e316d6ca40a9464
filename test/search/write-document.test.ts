import { Buffer } from "node:buffer";
import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { inBatches } from "../../src/render/text-parts.ts";
import { writeDocument } from "../../src/search/write-document.ts";
import { makeLibrary } from "../support/make-library.ts";

describe("writeDocument()", () => {
  it("writes a part before it asks for the next, so that a long document is never held whole", () => {
    const events: string[] = [];
    const library = makeLibrary();
    const { disk } = library;
    const write: typeof disk.write = (handle, bytes) => {
      events.push(`written ${bytes.length}`);
      return disk.write(handle, bytes);
    };
    const watched = { ...library, disk: { ...disk, write } };
    const parts = function* (): Generator<string> {
      for (const part of ["a".repeat(10), "é".repeat(10), "c".repeat(30)]) {
        events.push(`made ${part.length}`);
        yield part;
      }
    };
    const { outcome, bytes, path } = writeDocument(watched, "page.md", parts, { force: false });
    expect({ outcome, bytes }).toEqual({ outcome: "new", bytes: 60 });
    expect(events).toEqual(["made 10", "written 10", "made 10", "written 20", "made 30", "written 30"]);
    expect(fs.readFileSync(path, "utf8")).toBe([...parts()].join(""));
  });

  it("distinguishes a file that has the same bytes from one that starts alike, is shorter or longer", () => {
    const library = makeLibrary();
    const file = join(library.environment.home, "page.md");
    const write = (text: string): string =>
      writeDocument(library, file, () => [text.slice(0, 2), Buffer.from(text.slice(2))], { force: true })
        .outcome;
    const outcomes = ["abcdef", "abcdef", "abcdeX", "abcde", "abcdeX!", "abcdeX!", ""].map(write);
    expect(outcomes).toEqual(["new", "same", "replaced", "replaced", "replaced", "same", "replaced"]);
  });
});

describe("inBatches()", () => {
  it("joins short parts, loses none, and holds no more than one batch", () => {
    const parts = Array.from({ length: 5_000 }, (_, index) => `part ${index} ${"x".repeat(200)}\n`);
    const batches = [...inBatches(parts)];
    expect(batches.join("")).toBe(parts.join(""));
    expect(batches.length).toBeLessThan(10);
    expect(Math.max(...batches.map((batch) => batch.length))).toBeLessThan(300_000);
    expect([...inBatches([])]).toEqual([]);
  });
});
