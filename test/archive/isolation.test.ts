import { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { claude } from "../../src/agents/claude/claude.ts";
import { archiveSessions } from "../../src/archive/archive-sessions.ts";
import type { Entry } from "../../src/session/entry.ts";
import { archiving, plainWriter, quickLibrary } from "../support/archive/archiving.ts";
import { makePoisonWorld, type PoisonWorld } from "../support/poison/every-command.ts";
import {
  type HomeEntry,
  healthy,
  healthyEntries,
  idNumber,
  logPath,
  makeEntries,
} from "../support/poison/poisoned-home.ts";

const ID = idNumber(1);
const PATH = logPath("claude", ID, "-home-ana-bad");
const line = (number: number, text: string): string =>
  `${JSON.stringify({
    type: "user",
    uuid: `u${number}`,
    parentUuid: number === 1 ? null : `u${number - 1}`,
    sessionId: ID,
    cwd: "/home/ana/bad",
    timestamp: `2026-10-20T08:00:0${number}.000Z`,
    message: { role: "user", content: text },
  })}\n`;
const LOG = `${line(1, "Count the barrels")}${line(2, "STUMBLE here")}${line(3, "Moor the brigantine")}`;
const POISONED: HomeEntry = { kind: "file", path: PATH, text: LOG };

function world(): PoisonWorld {
  const made = makePoisonWorld();
  makeEntries(made.world.home, [...healthyEntries(), POISONED]);
  return made;
}

const isPoisoned = (path: string): boolean => path.endsWith(PATH);
const stumble = (): never => {
  throw new TypeError("nobody foresaw this");
};

/** Ways in which the code for an agent's logs may fail, for one log alone. */
const failures: readonly (readonly [string, () => void])[] = [
  [
    "a line that can't be parsed",
    () => {
      const make = claude.parser;
      vi.spyOn(claude, "parser").mockImplementation((context) => {
        const parser = make(context);
        const take = parser.line.bind(parser);
        parser.line = (each) => (Buffer.from(each.bytes).includes("STUMBLE") ? stumble() : take(each));
        return parser;
      });
    },
  ],
  [
    "a parser that fails from the first line on",
    () => {
      const make = claude.parser;
      vi.spyOn(claude, "parser").mockImplementation((context) =>
        isPoisoned(context.path) ? stumble() : make(context),
      );
    },
  ],
  [
    "a parser that fails at the end",
    () => {
      const make = claude.parser;
      vi.spyOn(claude, "parser").mockImplementation((context) => {
        const parser = make(context);
        return isPoisoned(context.path) ? { ...parser, finish: stumble } : parser;
      });
    },
  ],
  [
    "entries that nobody can extract from",
    () => {
      const make = claude.parser;
      vi.spyOn(claude, "parser").mockImplementation((context) => {
        const emit = (entry: Entry): void =>
          context.emit(entry.kind === "request" ? Object.assign(entry, { text: 7 }) : entry);
        return make(isPoisoned(context.path) ? { ...context, emit } : context);
      });
    },
  ],
  [
    "a head that nobody can identify",
    () => {
      const owns = claude.owns;
      vi.spyOn(claude, "owns").mockImplementation((head) =>
        head.includes("STUMBLE") ? stumble() : owns(head),
      );
    },
  ],
];

describe.each(failures)("%s", (_, fail) => {
  test("is a problem with file and reason; everything else is found, and all bytes are archived", async () => {
    onTestFinished(() => void vi.restoreAllMocks());
    fail();
    const { world: made, ask } = world();
    const indexed = await ask(["index"]);
    expect(indexed.code).toBe(3);
    expect(indexed.err).toMatch(new RegExp(`${ID}\\.jsonl.*nobody foresaw this|${ID}\\.jsonl.*TypeError`));
    for (const { id, word } of healthy) expect((await ask(["search", word, "-q"])).out).toContain(id);
    for (const argv of [
      ["list"],
      ["retention"],
      ["grep", "swim"],
      ["doctor"],
      ["pending", "--everywhere"],
      ["show", ID],
    ])
      expect([0, 1, 3], argv.join(" ")).toContain((await ask(argv)).code);
    expect((await ask(["list", "-q"])).out).toContain(ID);
    expect([0, 3]).toContain((await ask(["guard"])).code);
    expect((await ask(["restore", ID, "--to", join(made.root, "to")])).code).toBe(0);
    expect(readFileSync(join(made.root, "to", PATH), "utf8")).toBe(LOG);
  });
});

test("a line that can't be parsed hides no other line", async () => {
  onTestFinished(() => void vi.restoreAllMocks());
  failures[0]?.[1]();
  const { ask } = world();
  expect((await ask(["search", "barrels", "-q"])).out).toContain(ID);
  expect((await ask(["search", "brigantine", "-q"])).out).toContain(ID);
  expect((await ask(["index", "--rebuild"])).err).toContain(`${PATH}:2: cannot be read: TypeError`);
});

test("a readable copy that can't be made is a problem; the bytes are kept, and other copies are made", async () => {
  const library = quickLibrary();
  makeEntries(library.environment.home, [...healthyEntries(), POISONED]);
  const markdown = {
    ...plainWriter,
    render: (...given: Parameters<typeof plainWriter.render>) =>
      given[0].id === ID ? stumble() : plainWriter.render(...given),
  };
  const { archived, problems } = await archiveSessions(library, { ...archiving, markdown });
  expect(archived).toHaveLength(healthy.length + 1);
  expect(problems).toEqual([
    {
      path: join(library.environment.home, PATH),
      line: 0,
      what: "no readable copy: TypeError: nobody foresaw this",
    },
  ]);
});
