/** Runs the work for all items, several at a time, and returns the results in order. The first failure ends it. */
export async function inParallel<T, R>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  let next = 0;
  let isFailing = false;
  const worker = async (): Promise<void> => {
    while (next < items.length && !isFailing) {
      const at = next++;
      const item = items[at];
      if (item === undefined) continue;
      try {
        results[at] = await work(item);
      } catch (error) {
        isFailing = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  return results;
}
