/** Masks every string of plain data, at any depth. Keys stay: they are ours, or names of tools. */
export function maskDeep<T>(value: T, mask: (text: string) => string): T {
  return mapStrings(value, mask) as T;
}

function mapStrings(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === "string") return mask(value);
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, mask));
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return value;
  const masked: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) masked[key] = mapStrings(item, mask);
  return masked;
}
