import type { Library } from "../fs/library.ts";
import { maskDeep } from "../redact/mask.ts";
import { createRedactor } from "../redact/redact.ts";
import type { Mask } from "../search/export-session.ts";

/** Masks secrets in any plain data: the known kinds, and the user's own patterns. */
export function createMask({ redact: extra }: Pick<Library["config"], "redact">): Mask {
  const { redact } = createRedactor({ extra });
  return (value) => maskDeep(value, redact);
}
