/** The name of a project's folder below Pi's `sessions`, as Pi makes it of the resolved path. */
export function encodePiFolder(path: string): string {
  return `--${path.replace(/^[/\\]/, "").replace(/[/\\:]/g, "-")}--`;
}
