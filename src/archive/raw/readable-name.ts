/** One part of a name: no separator of any system, nothing that is not seen, not `.` or `..`. */
const PART = /^(?!\.{1,2}$)[^/\\:\p{Cc}\p{Cf}\p{Cs}]+$/u;

/**
 * Is this the name of a readable copy, relative to the folder of those? It comes out of a record that somebody may have
 * changed, and is written to and moved: what leads out of that folder, or is no markdown, is none of ours.
 */
export function isReadableName(name: string): boolean {
  return name.endsWith(".md") && name.split("/").every((part) => PART.test(part));
}
