import { type Activity, column, slotOf, WIDTH } from "../session/activity.ts";

/** The activity of a session by half hours, small enough for its row in the index. */
export interface ActivitySlots {
  readonly models: readonly string[];
  /** One for each half hour and model, with numbers in the order of `slotColumn`. */
  readonly slots: readonly (readonly number[])[];
  /** Half hours since 1970, and the number of turns that began in each. */
  readonly turns: readonly (readonly [number, number])[];
}

/** The numbers of a slot. From `messages` on they can be added up. */
export const slotColumn = {
  /** Half hours since 1970. */
  slot: 0,
  /** Index in `models`; -1 if it is not known. */
  model: 1,
  messages: 2,
  inputTokens: 3,
  outputTokens: 4,
  cacheReadTokens: 5,
  cacheWriteTokens: 6,
  hourCacheWriteTokens: 7,
  toolCalls: 8,
  failures: 9,
} as const;

/** Counts the messages of an activity by slot and model, without those that `isCounted` refuses. */
export function countSlots(
  { models, messages }: Activity,
  isCounted: (key: number) => boolean = () => true,
): Pick<ActivitySlots, "models" | "slots"> {
  const slots = new Map<string, number[]>();
  for (let from = 0; from < messages.length; from += WIDTH) {
    const at = (which: number): number => messages[from + which] ?? 0;
    if (!isCounted(at(column.key))) continue;
    const name = `${at(column.slot)} ${at(column.model)}`;
    let slot = slots.get(name);
    if (slot === undefined) {
      slot = [at(column.slot), at(column.model), 0, 0, 0, 0, 0, 0, 0, 0];
      slots.set(name, slot);
    }
    slot[slotColumn.messages] = (slot[slotColumn.messages] ?? 0) + 1;
    for (let which: number = column.inputTokens; which < WIDTH; which++)
      slot[which] = (slot[which] ?? 0) + at(which);
  }
  return { models, slots: [...slots.values()] };
}

/** Counts turns by the half hour that they began in. */
export function countTurns(times: readonly (number | null)[]): ActivitySlots["turns"] {
  const counts = new Map<number, number>();
  for (const at of times) counts.set(slotOf(at), (counts.get(slotOf(at)) ?? 0) + 1);
  return [...counts];
}

/** More messages are counted, but not compared with those of other sessions. */
const MAX_COMPARED = 20_000;

/** The first messages, for a comparison with other sessions: forks share their beginning. */
export function comparedMessages({ models, messages }: Activity): Activity {
  return { models, messages: messages.slice(0, MAX_COMPARED * WIDTH) };
}
