import type { Library } from "../fs/library.ts";
import { maskDeep } from "../redact/mask.ts";
import { createRedactor } from "../redact/redact.ts";

/** Masks secrets in any plain data: those that everybody knows, and those that the user has patterns for. */
export function createMask({ redact: extra }: Pick<Library["config"], "redact">): <T>(value: T) => T {
  const { redact } = createRedactor({ extra });
  return (value) => maskDeep(value, redact);
}
