/**
 * The JSON of a value that came out of JSON, of any depth. `JSON.stringify` recurses on some runtimes, and a log may
 * hold a value that is nested deeper than their stack.
 */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return deepJsonText(value);
  }
}

interface OpenValue {
  /** Names of an object's members; undefined for a list. */
  readonly names: readonly string[] | undefined;
  readonly values: readonly unknown[];
  next: number;
}

/** The same text without recursion, which takes several times as long. */
function deepJsonText(root: unknown): string {
  const parts: string[] = [];
  const open: OpenValue[] = [];
  const put = (value: unknown): void => {
    if (Array.isArray(value)) {
      parts.push("[");
      open.push({ names: undefined, values: value, next: 0 });
    } else if (typeof value === "object" && value !== null) {
      parts.push("{");
      open.push({ names: Object.keys(value), values: Object.values(value), next: 0 });
    } else parts.push(JSON.stringify(value) ?? "null");
  };
  put(root);
  for (let around = open.at(-1); around !== undefined; around = open.at(-1)) {
    const { names, values, next } = around;
    if (next === values.length) {
      parts.push(names === undefined ? "]" : "}");
      open.pop();
      continue;
    }
    if (next > 0) parts.push(",");
    if (names !== undefined) parts.push(JSON.stringify(names[next] ?? ""), ":");
    around.next++;
    put(values[next]);
  }
  return parts.join("");
}
