import { isoTime } from "../../core/view/session-json.ts";
import type { Coverage } from "../../operations/catalogue.ts";

export function coverageJson({ indexedAt, ...counts }: Coverage): object {
  return { ...counts, indexedAt: isoTime(indexedAt) };
}
