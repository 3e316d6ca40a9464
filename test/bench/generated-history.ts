import type { IndexDocument, IndexedSession } from "../../src/search/engine.ts";

/**
 * A history as large as one likes that looks like one: words by Zipf's law, identifiers, paths,
 * numbers and commands, sessions of very different length. The same seed gives the same history.
 */
export interface HistoryOptions {
  readonly turns: number;
  readonly seed: number;
}

export function* generateHistory({ turns, seed }: HistoryOptions): Generator<IndexedSession> {
  const random = createRandom(seed);
  const write = createTextWriter(random);
  let made = 0;
  for (let number = 0; made < turns; number++) {
    const length = Math.min(turns - made, 1 + Math.floor(60 * random() ** 3));
    made += length;
    yield generateSession(number, length, random, write);
  }
}

const START = 1_700_000_000_000;
const HOUR = 3_600_000;

function generateSession(
  number: number,
  length: number,
  random: () => number,
  write: TextWriter,
): IndexedSession {
  const startedAt = START + number * HOUR;
  const project = `/home/someone/work/${write.words(1)}-${number % 40}`;
  const turns = Array.from({ length }, (_, i): IndexDocument => {
    const files = write.paths(1 + Math.floor(random() * 3));
    return {
      turn: i + 1,
      at: startedAt + i * 60_000,
      context: random() < 0.8 ? "current" : "compacted",
      identity: `${number}-${i}`,
      fields: {
        request: write.words(10 + Math.floor(random() * 40)),
        reply: write.words(30 + Math.floor(random() * 80)),
        commands: `npm run ${write.words(2)} -- ${write.paths(1)}`,
        files,
        errors: random() < 0.15 ? `Error: ${write.words(12)} at ${write.paths(2)}` : "",
        output: random() < 0.6 ? write.words(Math.floor(random() * 60)) : "",
      },
    };
  });
  const all = (field: string): string => turns.map(({ fields }) => fields[field] ?? "").join("\n");
  const title = write.words(6);
  return {
    key: `claude:${hex(random)}${hex(random)}-${number}`,
    row: JSON.stringify({
      title,
      project,
      startedAt,
      endedAt: startedAt + length * 60_000,
      sources: [
        { path: `${project}/${number}.jsonl`, size: length * 9000, mtimeMs: startedAt, inode: number },
      ],
    }),
    digest: JSON.stringify({ requests: turns.map(({ fields }) => fields.request?.slice(0, 160)) }),
    documents: [
      {
        turn: 0,
        at: startedAt + length * 60_000,
        context: "current",
        fields: {
          title,
          requests: all("request"),
          files: all("files"),
          commands: all("commands"),
          tools: "Bash Read Edit Write",
          project,
          branch: "main",
        },
      },
      ...turns,
    ],
  };
}

interface TextWriter {
  words(count: number): string;
  paths(count: number): string;
}

const VOCABULARY = 60_000;
const PHRASES = 20_000;
const FILES = 15_000;
const syllables =
  "ba con der ent fi gra hal in jo ker lo mi nu op pre qui re sta ter un ver wo xi yo za ing er ed ly tion".split(
    " ",
  );

function createTextWriter(random: () => number): TextWriter {
  const pick = (): string => syllables[Math.floor(random() * syllables.length)] ?? "";
  const vocabulary = Array.from({ length: VOCABULARY }, (_, rank) => {
    if (rank < 10) return "the to and of a in is it for that".split(" ")[rank] ?? "";
    const word = Array.from({ length: 1 + Math.floor(random() * 3) + (rank > 3000 ? 1 : 0) }, pick).join("");
    if (rank % 9 === 0) return `${word}${pick().replace(/^./, (c) => c.toUpperCase())}`;
    return rank % 17 === 0 ? `${word}_${pick()}` : word;
  });
  // A few words that the benchmark asks for by name.
  vocabulary[40] = "everywhere";
  vocabulary[700] = "token";
  vocabulary[900] = "refresh";
  vocabulary[1500] = "kubernetes";
  vocabulary[30_000] = "zirconium";
  const cumulative = new Float64Array(VOCABULARY);
  let sum = 0;
  for (let rank = 0; rank < VOCABULARY; rank++) {
    sum += 1 / (rank + 2.7) ** 1.05;
    cumulative[rank] = sum;
  }
  const word = (): string => {
    const wanted = random() * sum;
    let low = 0;
    let high = VOCABULARY - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((cumulative[middle] ?? 0) < wanted) low = middle + 1;
      else high = middle;
    }
    return random() < 0.03 ? String(Math.floor(random() * 5000)) : (vocabulary[low] ?? "");
  };
  // People and agents repeat themselves: without that, text would not compress as real text does.
  const phrases = Array.from({ length: PHRASES }, () =>
    Array.from({ length: 4 + Math.floor(random() * 14) }, word).join(" "),
  );
  const files = Array.from({ length: FILES }, () => `src/${word()}/${word()}-${word()}.ts`);
  const piece = (): string =>
    random() < 0.7 ? (phrases[Math.floor(PHRASES * random() ** 4)] ?? "") : word();
  return {
    words: (count) => {
      let text = "";
      for (let words = 0; words < count; words++) {
        const next = piece();
        text += ` ${next}`;
        for (let i = 0; i < next.length; i++) if (next[i] === " ") words++;
      }
      return text.slice(1);
    },
    paths: (count) =>
      Array.from({ length: count }, () => files[Math.floor(FILES * random() ** 2)] ?? "").join("\n"),
  };
}

function hex(random: () => number): string {
  return Math.floor(random() * 2 ** 32)
    .toString(16)
    .padStart(8, "0");
}

function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
