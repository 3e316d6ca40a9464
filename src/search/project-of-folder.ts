import { dirname } from "node:path";
import type { CatalogueRow } from "./catalogue.ts";

/** The project that a folder belongs to: its own, else of the nearest folder above it that has sessions. */
export function projectOfFolder(rows: readonly CatalogueRow[], folder: string): string | undefined {
  const projects = new Set(rows.map(({ digest }) => digest.project));
  for (let at = folder; ; at = dirname(at)) {
    if (projects.has(at)) return at;
    if (at === dirname(at)) return undefined;
  }
}
