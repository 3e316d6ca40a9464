/** The first and the last of the times that it is told; lines are not always in order. */
export interface TimeSpan {
  add(at: number | undefined): void;
  readonly firstAt: number | null;
  readonly lastAt: number | null;
}

/** What it was told before. */
export type SavedSpan = Pick<TimeSpan, "firstAt" | "lastAt">;

export function createTimeSpan(before?: SavedSpan): TimeSpan {
  let firstAt = before?.firstAt ?? null;
  let lastAt = before?.lastAt ?? null;
  return {
    add(at) {
      if (at === undefined) return;
      if (firstAt === null || at < firstAt) firstAt = at;
      if (lastAt === null || at > lastAt) lastAt = at;
    },
    get firstAt() {
      return firstAt;
    },
    get lastAt() {
      return lastAt;
    },
  };
}
