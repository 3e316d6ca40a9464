import type { IndexDocument, IndexedSession } from "../../../src/search/engine.ts";
import { fieldBits } from "../../../src/search/ranking/index-schema.ts";
import type { QueryNode } from "../../../src/search/ranking/query-node.ts";
import fc from "../fc.ts";
import { smallSchema } from "./small-schema.ts";

/** Few words, so that they meet; near to each other, so that prefixes and typos meet too. */
const words: readonly string[] = [
  ..."a ab abc abcd abce abxd bcd token tokens tokne broken tokenize refresh refreshed fresh".split(" "),
  ..."cat cart card carts scat größe grosse 設定 設計 設 naïve naive".split(" "),
  "constructor",
  "__proto__",
  "😀",
  "😁x",
  "\ud83d",
  "\uffff",
  "a".repeat(40),
  `${"a".repeat(39)}b`,
];

export const arbitraryWord: fc.Arbitrary<string> = fc.constantFrom(...words);

const arbitraryText = fc.array(arbitraryWord, { maxLength: 12 }).map((list) => list.join(" "));

const arbitraryDocument = (kind: "card" | "turn"): fc.Arbitrary<Readonly<Record<string, string>>> =>
  fc.dictionary(
    fc.constantFrom(...smallSchema.fields.filter((field) => field.kind === kind).map(({ name }) => name)),
    arbitraryText,
  );

const contexts = ["current", "compacted", "branch", "subagent"] as const;

export const arbitrarySession: fc.Arbitrary<IndexedSession> = fc
  .record({
    key: fc.integer({ min: 0, max: 7 }).map((number) => `s${number}`),
    cardAt: fc.option(fc.integer({ min: -1000, max: 1_000_000 })),
    card: arbitraryDocument("card"),
    isLong: fc.boolean(),
    turns: fc.array(
      fc.record({
        at: fc.option(fc.integer({ min: -1000, max: 1_000_000 })),
        context: fc.constantFrom(...contexts),
        fields: arbitraryDocument("turn"),
      }),
      { maxLength: 4 },
    ),
  })
  .map(({ key, cardAt, card, isLong, turns }) => ({
    key,
    row: JSON.stringify({ key }),
    digest: JSON.stringify({ turns: turns.length }),
    documents: [
      {
        turn: 0,
        at: cardAt,
        context: "current",
        fields: isLong ? lengthen(card) : card,
      } satisfies IndexDocument,
      ...turns.map((turn, i): IndexDocument => ({ turn: i + 1, ...turn })),
    ],
  }));

/** As long as cards of real sessions are: from 1,000 characters on their terms are taken over. */
function lengthen(card: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const { requests = "" } = card;
  return { ...card, requests: `${requests} `.repeat(Math.ceil(1_200 / (requests.length + 1))) };
}

export type IndexChange =
  | { readonly kind: "put"; readonly session: IndexedSession }
  | { readonly kind: "remove"; readonly key: string }
  | { readonly kind: "commit" };

/** A session goes on: its last turns may be others now, and some come after them. */
interface Growth {
  readonly kind: "grow";
  readonly key: string;
  readonly changed: number;
  /** Its card says the same about requests. */
  readonly keepsRequests: boolean;
  readonly like: IndexedSession;
}

const arbitraryGrowth: fc.Arbitrary<Growth> = fc.record({
  kind: fc.constant("grow" as const),
  key: fc.integer({ min: 0, max: 7 }).map((number) => `s${number}`),
  changed: fc.integer({ min: 0, max: 2 }),
  keepsRequests: fc.boolean(),
  like: arbitrarySession,
});

function withRequestsOf(
  card: IndexDocument | undefined,
  other: IndexDocument | undefined,
): IndexDocument | undefined {
  const requests = other?.fields.requests;
  return card === undefined || requests === undefined
    ? card
    : { ...card, fields: { ...card.fields, requests } };
}

/** Makes each growth a `put` of what was last put under its key, and of what comes after. */
function settleGrowth(changes: readonly (IndexChange | Growth)[]): readonly IndexChange[] {
  const last = new Map<string, IndexedSession>();
  return changes.flatMap((change): readonly IndexChange[] => {
    if (change.kind === "put") last.set(change.session.key, change.session);
    if (change.kind === "remove") last.delete(change.key);
    if (change.kind !== "grow") return [change];
    const before = last.get(change.key);
    if (before === undefined) return [];
    const [oldCard, ...old] = before.documents;
    const [newCard, ...added] = change.like.documents;
    const card = change.keepsRequests ? withRequestsOf(newCard, oldCard) : newCard;
    const turns = [...old.slice(0, Math.max(0, old.length - change.changed)), ...added];
    const documents = [
      ...(card === undefined ? [] : [card]),
      ...turns.map((each, i) => ({ ...each, turn: i + 1 })),
    ];
    const session = { ...change.like, key: change.key, row: JSON.stringify({ key: change.key }), documents };
    last.set(change.key, session);
    return [{ kind: "put", session }];
  });
}

export const arbitraryChanges: fc.Arbitrary<readonly IndexChange[]> = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: arbitrarySession.map((session): IndexChange => ({ kind: "put", session })) },
      {
        weight: 1,
        arbitrary: fc
          .integer({ min: 0, max: 7 })
          .map((number): IndexChange => ({ kind: "remove", key: `s${number}` })),
      },
      { weight: 4, arbitrary: arbitraryGrowth },
      { weight: 3, arbitrary: fc.constant<IndexChange>({ kind: "commit" }) },
    ),
    { maxLength: 30 },
  )
  .map(settleGrowth);

const fieldNames = [...new Set(smallSchema.fields.map(({ name }) => name))];

const arbitraryTerm: fc.Arbitrary<QueryNode> = fc.record({
  kind: fc.constant("term" as const),
  term: arbitraryWord,
  prefix: fc.boolean(),
  maxDistance: fc.constantFrom(0, 0, 1, 2, 3),
  boost: fc.constantFrom(1, 0.5, 3),
  fields: fc.oneof(
    fc.constant(fieldBits(smallSchema.fields)),
    fc.subarray(fieldNames, { minLength: 1 }).map((names) => fieldBits(smallSchema.fields, names)),
  ),
});

export const arbitraryQuery: fc.Arbitrary<QueryNode> = fc.letrec<{ node: QueryNode }>((tie) => ({
  node: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    arbitraryTerm,
    fc.record({
      kind: fc.constantFrom("all" as const, "any" as const, "without" as const),
      nodes: fc.array(tie("node"), { minLength: 1, maxLength: 4 }),
    }),
  ),
})).node;
