/** One part of a name: no separator of any system, nothing that is not seen, not `.` or `..`. */
const PART = /^(?!\.{1,2}$)[^/\\:\p{Cc}\p{Cf}\p{Cs}]+$/u;

/**
 * Whether this is the name of a readable copy, relative to their folder. It comes from a record that may have been
 * tampered with, and the file is written and moved: a path that leaves the folder, or is not markdown, is refused.
 */
export function isReadableName(name: string): boolean {
  return name.endsWith(".md") && name.split("/").every((part) => PART.test(part));
}
