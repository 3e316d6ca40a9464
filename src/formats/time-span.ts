/** The first and the last of the times that it is told; lines are not always in order. */
export interface TimeSpan {
  add(at: number | undefined): void;
  readonly firstAt: number | null;
  readonly lastAt: number | null;
}

export function createTimeSpan(): TimeSpan {
  let firstAt: number | null = null;
  let lastAt: number | null = null;
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
