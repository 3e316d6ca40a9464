import type { DateSpan } from "../ranking/search-plan.ts";
import { type DateContext, dayOf, fromLocal, localDay } from "./parse-date.ts";
import type { QueryWord } from "./parse-query.ts";

/** A date as typed; absent parts are unknown. Months count from 0. */
interface TypedDate {
  readonly year?: number | undefined;
  readonly month?: number | undefined;
  readonly day?: number | undefined;
}

const MONTHS = "january february march april may june july august september october november december".split(
  " ",
);
/** Words that may be a month: full names, and their first letters. */
const NAME =
  "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?";
/** These are months everywhere; the others are also ordinary words, or parts of names. */
const CLEAR = "january|february|april|june|july|august|september|october|november|december";
const DAY = "([0-3]?\\d)(?:st|nd|rd|th)?";
const YEAR = "((?:19|20)\\d\\d)";

/** Ways to write a date, the most specific first; each is between spaces. */
const ways: readonly {
  readonly form: RegExp;
  readonly read: (found: readonly string[]) => TypedDate | "last";
}[] = [
  {
    form: between(`${YEAR}-([01]?\\d)(?:-([0-3]?\\d))?`),
    read: ([, year, month, day]) => ({ ...numbers({ year, day }), month: Number(month) - 1 }),
  },
  {
    form: between(`${DAY} (?:of )?(${NAME})(?: ${YEAR})?`),
    read: ([, day, name, year]) => ({ ...numbers({ year, day }), month: monthOf(name) }),
  },
  {
    form: between(`(${NAME}) ${DAY}(?: ${YEAR})?`),
    read: ([, name, day, year]) => ({ ...numbers({ year, day }), month: monthOf(name) }),
  },
  {
    form: between(`(${NAME}) ${YEAR}`),
    read: ([, name, year]) => ({ ...numbers({ year }), month: monthOf(name) }),
  },
  { form: between(`last (${NAME})`), read: () => "last" },
  { form: between(`(?:in|during) (${NAME})`), read: ([, name]) => ({ month: monthOf(name) }) },
  { form: between(`(?:in|during) ${YEAR}`), read: ([, year]) => numbers({ year }) },
  { form: between(`(${CLEAR})`), read: ([, name]) => ({ month: monthOf(name) }) },
];

function between(form: string): RegExp {
  return new RegExp(`(?<= )${form}(?= )`, "g");
}

/** How many years are tried for a date without a year. */
const YEARS_BACK = 20;

/**
 * Finds the dates in the plain words of a query: `2026-03-14`, `14 march`, `march 2026`, `in 2026`, `last march`.
 * "may" and "march" are dates only next to a number or after in, during or last. A date without a year may be in any
 * year up to the present one. The words also stay words of the query.
 */
export function queryDates(words: readonly QueryWord[], context: DateContext): readonly DateSpan[] {
  return readDates(words, context).spans;
}

/** Whether a word, as typed, is part of a date of the query. */
export function queryDateWords(words: readonly QueryWord[], context: DateContext): (word: string) => boolean {
  const { taken } = readDates(words, context);
  return (word) => taken.has(plainWord(word));
}

function plainWord(text: string): string {
  return text.toLowerCase().replace(/[,.;?!)]+$/, "");
}

interface ReadDates {
  readonly spans: readonly DateSpan[];
  /** The words that these dates were read from. */
  readonly taken: ReadonlySet<string>;
}

function readDates(words: readonly QueryWord[], context: DateContext): ReadDates {
  // A line break in place of anything that is not a plain word: no date spans it.
  const plain = words.map(({ kind, text, isNegated }) =>
    kind === "word" && !isNegated ? plainWord(text) : "\n",
  );
  let rest = ` ${plain.join(" ")} `;
  const spans: DateSpan[] = [];
  const taken = new Set<string>();
  if (!/\d|january|february|april|ju[nl]|august|ember|october|last|in|during/.test(rest))
    return { spans, taken };
  for (const { form, read } of ways) {
    rest = rest.replace(form, (...found: string[]) => {
      const date = read(found);
      const dates = date === "last" ? spansOf({ month: monthOf(found[1]) }, context) : spansOf(date, context);
      // The last march is the latest that is over.
      const meant = date === "last" ? dates.filter(({ to }) => to < context.now).slice(-1) : dates;
      spans.push(...meant);
      if (meant.length > 0) for (const word of found[0]?.split(" ") ?? []) taken.add(word);
      return "\n";
    });
  }
  return { spans, taken };
}

function numbers({ year, day }: { year?: string | undefined; day?: string | undefined }): TypedDate {
  return {
    year: year === undefined ? undefined : Number(year),
    day: day === undefined ? undefined : Number(day),
  };
}

function monthOf(name = ""): number {
  return MONTHS.findIndex((month) => month.startsWith(name.slice(0, 3)));
}

/** Returns the spans of a date, the earliest first; none for a day that does not exist. */
function spansOf({ year, month, day }: TypedDate, context: DateContext): readonly DateSpan[] {
  const { year: present } = localDay(context.now, context);
  const years =
    year === undefined ? Array.from({ length: YEARS_BACK + 1 }, (_, i) => present - YEARS_BACK + i) : [year];
  return years.flatMap((each) => {
    const first = dayOf(each, month ?? 0, day ?? 1);
    if (first === undefined) return [];
    const next =
      day !== undefined
        ? Date.UTC(each, month ?? 0, day + 1)
        : month !== undefined
          ? Date.UTC(each, month + 1, 1)
          : Date.UTC(each + 1, 0, 1);
    const from = Date.UTC(first.year, first.month, first.day);
    return [{ from: fromLocal(from, context), to: fromLocal(next, context) - 1 }];
  });
}
