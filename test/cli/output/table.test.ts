import { describe, expect, test } from "vitest";
import { type Column, formatTable } from "../../../src/cli/output/table.ts";
import { displayWidth } from "../../../src/cli/output/text-width.ts";
import fc from "../../support/fc.ts";

interface Row {
  readonly name: string;
  readonly size: number;
  readonly path: string;
}
const rows: readonly Row[] = [
  { name: "first", size: 5, path: "/home/me/projects/alpha" },
  { name: "日本", size: 12_345, path: "/b" },
];
const columns: readonly Column<Row>[] = [
  { title: "NAME", text: (row) => row.name },
  { title: "SIZE", text: (row) => String(row.size), align: "right" },
  { title: "PATH", text: (row) => row.path, shrinkTo: 8, cut: "middle" },
];

describe("formatTable()", () => {
  test("aligns by columns of the terminal, numbers to the right, without blanks at line ends", () => {
    expect(formatTable(rows, columns, { width: undefined })).toBe(
      ["NAME    SIZE  PATH", "first      5  /home/me/projects/alpha", "日本   12345  /b", ""].join("\n"),
    );
  });

  test("cuts nothing in a pipe, and one long text widens no other row", () => {
    const long = { name: "x".repeat(5_000), size: 1, path: "/c" };
    const lines = formatTable([...rows, long], columns, { width: undefined })
      .trimEnd()
      .split("\n");
    expect(lines.at(-1)).toBe(`${long.name}      1  /c`);
    expect(lines[1]).toBe(`${"first".padEnd(60)}      5  /home/me/projects/alpha`);
  });

  test("lets a text that is wider than its column move its own row only, which still fits", () => {
    const long = { name: "a-long-name", size: 1, path: "/home/me/projects/alpha" };
    const [name, ...others] = columns;
    const padded = name === undefined ? [] : [{ ...name, padTo: 6 }, ...others];
    expect(formatTable([...rows, long], padded, { width: 30 })).toBe(
      [
        "NAME     SIZE  PATH",
        "first       5  /hom…ects/alpha",
        "日本    12345  /b",
        "a-long-name      1  /ho…/alpha",
        "",
      ].join("\n"),
    );
  });

  test("takes what a padded text needs more from the columns after it, and never leaves the terminal", () => {
    const columns = [
      { text: (row: readonly string[]) => row[0] ?? "", padTo: 6 },
      { text: (row: readonly string[]) => row[1] ?? "", shrinkTo: 8 },
      { text: (row: readonly string[]) => row[2] ?? "", shrinkTo: 4 },
    ];
    const table = formatTable(
      [
        ["short", "the project", "a title"],
        ["an-id-of-18-columns", "the project", "a title"],
      ],
      columns,
      { width: 28 },
    );
    expect(table).toBe("short   the project  a title\nan-id-of-18-columns  the…\n");
  });

  test("shrinks the flexible column to the terminal", () => {
    expect(formatTable(rows, columns, { width: 28 })).toBe(
      ["NAME    SIZE  PATH", "first      5  /hom…cts/alpha", "日本   12345  /b", ""].join("\n"),
    );
  });

  test("shrinks no further than the column allows", () => {
    const line = formatTable(rows, columns, { width: 5 }).split("\n")[1] ?? "";
    expect(line).toBe("first      5  /h…alpha");
  });

  test("makes one line of a text with several, and takes escapes out", () => {
    const text = formatTable([{ cell: "a\nb\x1b[31mc" }], [{ text: (row) => row.cell }], { width: 80 });
    expect(text).toBe("a bc\n");
  });

  test("paints the text and not the blanks around it", () => {
    const painted = formatTable(
      rows,
      [
        { text: (row) => String(row.size), align: "right", style: (text) => `<${text}>` },
        { text: (row) => row.name, style: (text, row) => (row.size > 10 ? `[${text}]` : text) },
      ],
      { width: 80 },
    );
    expect(painted).toBe("    <5>  first\n<12345>  [日本]\n");
  });

  test("prints nothing for no rows without titles", () => {
    expect(formatTable<Row>([], [{ text: (row) => row.name }], { width: 80 })).toBe("");
  });

  test("keeps to the width whatever is in the flexible column", () => {
    const cell = fc.string({ unit: "grapheme", maxLength: 60 });
    fc.assert(
      fc.property(fc.array(cell, { minLength: 1, maxLength: 5 }), (cells) => {
        const text = formatTable(
          cells,
          [{ text: () => "fixed" }, { text: (each) => each, shrinkTo: 4 }, { text: () => "end" }],
          { width: 40 },
        );
        const lines = text.split("\n").slice(0, -1);
        expect(lines).toHaveLength(cells.length);
        for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(40);
      }),
    );
  });
});
