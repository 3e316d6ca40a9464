/**
 * The name of a project's folder below `projects/`, as Claude Code makes it of the path. There is no
 * way back: `a_b`, `a.b` and `a-b` share a folder, so the project is read from the lines' `cwd`.
 */
export function encodeProjectPath(path: string): string {
  const encoded = path.normalize("NFC").replace(/[^A-Za-z0-9]/g, "-");
  if (encoded.length <= MAX_ENCODED) return encoded;
  return `${encoded.slice(0, MAX_ENCODED)}-${hashOf(path.normalize("NFC"))}`;
}

const MAX_ENCODED = 200;

function hashOf(path: string): string {
  let hash = 0;
  for (let i = 0; i < path.length; i++) hash = (Math.imul(hash, 31) + path.charCodeAt(i)) | 0;
  return Math.abs(hash).toString(36);
}
