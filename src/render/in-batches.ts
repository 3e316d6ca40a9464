/** About so many characters at once: fewer would be a call to the system for each word, more would fill the memory. */
const BATCH_CHARS = 256 * 1024;

/** The same text in fewer and longer parts, so that whoever writes them need not hold all of it. */
export function* inBatches(parts: Iterable<string>): Generator<string, void, void> {
  let batch: string[] = [];
  let chars = 0;
  for (const part of parts) {
    batch.push(part);
    chars += part.length;
    if (chars < BATCH_CHARS) continue;
    yield batch.join("");
    batch = [];
    chars = 0;
  }
  if (chars > 0) yield batch.join("");
}
