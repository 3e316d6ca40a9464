import { exitCodes, UserError } from "../errors.ts";
import { diskError } from "../fs/disk-error.ts";
import type { Library } from "../fs/library.ts";
import type { Remote } from "./remotes.ts";

/** Names and values, the names in lower case: `aws_access_key_id`, `password`. */
export type Credentials = ReadonlyMap<string, string>;

const MAX_BYTES = 64 * 1024;
/** Permission bits of people other than the owner. */
const OTHERS = 0o077;

/**
 * Reads the credentials of a remote: from the file that was named with it, or else from the environment. The file has
 * lines `name = value`, like ~/.aws/credentials; of several `[profiles]`, AWS_PROFILE or `default` counts. Others
 * must not be able to read it.
 */
export function readCredentials(library: Library, { credentials: path }: Remote): Credentials {
  const { variables } = library.environment;
  if (path === undefined) {
    return new Map(
      Object.entries(variables).flatMap(([name, value]) =>
        value === undefined || value === "" ? [] : [[name.toLowerCase(), value]],
      ),
    );
  }
  let text: string | undefined;
  let mode: number | undefined;
  try {
    mode = library.disk.stat(path)?.mode;
    text = library.disk.readFile(path, MAX_BYTES)?.toString("utf8");
  } catch (error) {
    throw diskError("read", path, error);
  }
  if (text === undefined || mode === undefined) {
    throw new UserError(`Cannot read the credentials ${JSON.stringify(path)}: there is no such file`, {
      exitCode: exitCodes.broken,
      hint: "write `name = value` lines into it, with mode 0600",
    });
  }
  if ((mode & OTHERS) !== 0) {
    throw new UserError(`Cannot use the credentials ${JSON.stringify(path)}: others can read them`, {
      exitCode: exitCodes.refused,
      hint: `chmod 600 ${path}`,
    });
  }
  return parseCredentials(text, variables.AWS_PROFILE ?? "default");
}

function parseCredentials(text: string, profile: string): Credentials {
  const found = new Map<string, string>();
  let section = profile;
  for (const line of text.split(/\r?\n/)) {
    const [, heading] = /^\s*\[([^\]]*)\]\s*$/.exec(line) ?? [];
    if (heading !== undefined) section = heading.trim();
    const [, name, value] = /^\s*([\w.-]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (name !== undefined && value !== undefined && section === profile)
      found.set(name.toLowerCase(), value);
  }
  return found;
}
