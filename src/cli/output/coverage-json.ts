import { isoTime } from "../../render/json/session-json.ts";
import type { Coverage } from "../../search/session-catalog.ts";

export function coverageJson({ indexedAt, ...counts }: Coverage): object {
  return { ...counts, indexedAt: isoTime(indexedAt) };
}
