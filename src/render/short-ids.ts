/** The number of characters of an id that usually identifies a session. */
const SHORT_ID = 8;

/** The shortest unique prefixes of these ids, of at least eight characters: ids by time start alike. */
export function shortIds(ids: readonly string[]): ReadonlyMap<string, string> {
  const sorted = [...new Set(ids)].sort();
  const short = new Map<string, string>();
  sorted.forEach((id, index) => {
    const common = Math.max(
      commonStart(id, sorted[index - 1] ?? ""),
      commonStart(id, sorted[index + 1] ?? ""),
    );
    short.set(id, id.slice(0, Math.max(SHORT_ID, common + 1)));
  });
  return short;
}

function commonStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}
