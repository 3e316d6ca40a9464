/**
 * Masks every string of plain data, at any depth, and the keys of objects: tables are kept by the names of tools, and
 * inputs have keys of their own. What holds no secret is given back as it is, without a copy.
 */
export function maskDeep<T>(value: T, mask: (text: string) => string): T {
  return mapStrings(value, mask) as T;
}

function mapStrings(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === "string") return mask(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return mapList(value, mask);
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  return mapObject(value as Record<string, unknown>, mask);
}

function mapList(list: readonly unknown[], mask: (text: string) => string): readonly unknown[] {
  let masked: unknown[] | undefined;
  for (let index = 0; index < list.length; index++) {
    const item = list[index];
    const mapped = mapStrings(item, mask);
    if (mapped === item) continue;
    masked ??= [...list];
    masked[index] = mapped;
  }
  return masked ?? list;
}

function mapObject(object: Record<string, unknown>, mask: (text: string) => string): Record<string, unknown> {
  let masked: Record<string, unknown> | undefined;
  let hasMaskedKey = false;
  for (const key in object) {
    // Nearly all keys are our own words.
    if (!OWN_KEY.test(key) && mask(key) !== key) hasMaskedKey = true;
    const item = object[key];
    if (typeof item === "number") continue;
    const mapped = mapStrings(item, mask);
    if (mapped === item) continue;
    masked ??= { ...object };
    masked[key] = mapped;
  }
  return hasMaskedKey ? withMaskedKeys(masked ?? object, mask) : (masked ?? object);
}

const OWN_KEY = /^[a-z][A-Za-z]{0,18}$/;

/** In their order; two keys that are masked alike stay two. */
function withMaskedKeys(
  object: Record<string, unknown>,
  mask: (text: string) => string,
): Record<string, unknown> {
  const entries = new Map<string, unknown>();
  for (const [key, item] of Object.entries(object)) {
    const name = mask(key);
    let free = name;
    for (let number = 2; entries.has(free); number++) free = `${name} (${number})`;
    entries.set(free, item);
  }
  return Object.fromEntries(entries);
}
