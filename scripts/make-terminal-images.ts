/** Draws what commands print on the example history as pictures in docs/images: `npm run docs:terminal`. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

interface Picture {
  readonly name: string;
  readonly line: string;
  readonly columns: number;
  /** More lines are cut off. */
  readonly rows: number;
}

const pictures: readonly Picture[] = [
  { name: "terminal-search", line: "sessions search token refresh", columns: 100, rows: 14 },
  { name: "terminal-show", line: "sessions show 87f01b2f", columns: 100, rows: 24 },
  { name: "terminal-stats", line: "sessions stats", columns: 100, rows: 26 },
];

/** A terminal's colours: the text's own, then those of SGR 31 to 36. */
const colors: Readonly<Record<string, string>> = {
  "31": "#ef8d80",
  "32": "#7fc087",
  "33": "#d4b45c",
  "34": "#8fb4e8",
  "35": "#b3a1ee",
  "36": "#6cc2b4",
  "90": "#9a9187",
};

/** A run of characters in one style. */
interface Run {
  readonly text: string;
  readonly codes: readonly string[];
}

/** Splits a line at its SGR sequences; each run has the codes that are on. */
function runsOf(line: string): readonly Run[] {
  const runs: Run[] = [];
  let on: readonly string[] = [];
  for (const part of line.split(/(\x1b\[[0-9;]*m)/)) {
    const [, codes] = /^\x1b\[([0-9;]*)m$/.exec(part) ?? [];
    if (codes === undefined) {
      if (part !== "") runs.push({ text: part, codes: on });
      continue;
    }
    for (const code of codes.split(";")) on = afterCode(on, code === "" ? "0" : code);
  }
  return runs;
}

function afterCode(on: readonly string[], code: string): readonly string[] {
  if (code === "0") return [];
  if (code === "22") return on.filter((each) => each !== "1" && each !== "2");
  if (code === "39") return on.filter((each) => colors[each] === undefined);
  if (/^2[3-9]$/.test(code)) return on.filter((each) => each !== code.slice(1));
  return [...on, code];
}

const FONT_PX = 14;
const CHAR_PX = 8.43;
const LINE_PX = 20;
const PADDING_PX = 16;

function svgOf({ line, columns, rows }: Picture, output: string): string {
  const printed = output.trimEnd().split("\n");
  const cut = printed.length > rows ? [...printed.slice(0, rows), "\x1b[2m…\x1b[0m"] : printed;
  const lines = [`\x1b[32m$\x1b[0m \x1b[1m${line}\x1b[0m`, "", ...cut];
  const width = Math.ceil(columns * CHAR_PX + 2 * PADDING_PX);
  const height = lines.length * LINE_PX + 2 * PADDING_PX;
  const texts = lines.map((each, at) => {
    const y = PADDING_PX + (at + 0.75) * LINE_PX;
    let column = 0;
    const spans = runsOf(each).map(({ text, codes }) => {
      const x = (PADDING_PX + column * CHAR_PX).toFixed(1);
      column += [...text].length;
      return `<tspan x="${x}"${styleOf(codes)}>${escaped(text)}</tspan>`;
    });
    return `<text y="${y}">${spans.join("")}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(line)}">
<rect width="100%" height="100%" rx="8" fill="#171513"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${FONT_PX}" fill="#e6e1da" xml:space="preserve">
${texts.join("\n")}
</g>
</svg>
`;
}

function styleOf(codes: readonly string[]): string {
  const color = codes.map((code) => colors[code]).findLast((each) => each !== undefined);
  return [
    color === undefined ? "" : ` fill="${color}"`,
    codes.includes("1") ? ' font-weight="bold"' : "",
    codes.includes("2") ? ' opacity="0.65"' : "",
    codes.includes("4") ? ' text-decoration="underline"' : "",
  ].join("");
}

function escaped(text: string): string {
  // Spaces at the edges of a run would be dropped.
  return text.replaceAll(" ", "\u00a0").replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

const home = mkdtempSync(join(tmpdir(), "sessions-terminal-"));
try {
  const images = join(root, "docs", "images");
  mkdirSync(images, { recursive: true });
  for (const picture of pictures) {
    const [, ...args] = picture.line.split(" ");
    const size = `stty cols ${picture.columns} 2>/dev/null; exec "$0" "$@" 2>/dev/null`;
    const program = [process.execPath, join(root, "dist", "sessions.cjs"), ...args, "--color"];
    // A terminal of its own: tables follow its width.
    const words = ["sh", "-c", size, ...program].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
    const { stdout, status } = spawnSync("script", ["-qec", words, "/dev/null"], {
      env: { PATH: process.env.PATH, HOME: home, SESSIONS_GUARD: "off", TERM: "xterm", LANG: "C.UTF-8", PAGER: "cat" },
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`${picture.line} ended with ${status}: ${stdout}`);
    const text = stdout
      .replace(/\x1b\[[0-9;?]*[A-Za-ln-z]|\r/g, "")
      .replace(/^.*this is an example history.*\n/, "");
    writeFileSync(join(images, `${picture.name}.svg`), svgOf(picture, text));
  }
} finally {
  rmSync(home, { recursive: true, force: true });
}
