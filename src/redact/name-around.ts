import { readSecretName, type SecretName } from "./secret-name.ts";

/**
 * Names that are not right before the value. Each function returns the name only if it means a secret.
 */

const LOOK_AROUND = 240;

/** `name: DB_PASSWORD`, `key="SmtpPassword"`, `type="password"`: one field names the content of another one. */
const NAMING_FIELD =
  /(?<![A-Za-z])(?:name|key|variable|var|id|field|parameter|property|option|label|type)\\{0,3}["']?\s{0,2}[:=]\s{0,2}\\{0,3}["']?(?:[\w.-]{0,40}\/){0,8}([\w.-]{2,60})/gi;
/** `variable "db_password" { … default = …`. */
const TERRAFORM_VARIABLE = /\bvariable\s{1,4}"([\w-]{2,60})"\s{0,4}\{[^{}]{0,240}$/;

/** The name in a field beside `value`, `default`: in the same object, tag, list item or block. */
export function readPairedName(text: string, nameStart: number, valueEnd: number): SecretName | undefined {
  const before = text.slice(Math.max(0, nameStart - LOOK_AROUND), nameStart);
  const variable = TERRAFORM_VARIABLE.exec(before)?.[1];
  if (variable !== undefined) return readSecretName(variable);
  const opening = Math.max(before.lastIndexOf("{"), before.lastIndexOf("}"), before.lastIndexOf("<"));
  const closing = before.lastIndexOf(">");
  const item = before.lastIndexOf("- ");
  const named = lastNaming(before.slice(Math.max(opening, closing, item, 0)));
  if (named !== undefined || opening <= closing) return named;
  // The other order: `{"value": "…", "name": "DB_PASSWORD"}`, `<input value="…" name="password">`.
  const after = text.slice(valueEnd, valueEnd + LOOK_AROUND / 2);
  return lastNaming(after.slice(0, after.search(/[{}<>]|$/)));
}

/** The type of a parameter that AWS keeps encrypted, whatever its name is. */
const SEALED_TYPE = "SecureString";

function lastNaming(scope: string): SecretName | undefined {
  let last: SecretName | undefined;
  for (const match of scope.matchAll(NAMING_FIELD))
    last = readSecretName(match[1] === SEALED_TYPE ? "secret" : (match[1] ?? "")) ?? last;
  return last;
}

const NAME_OF_PAIR = /["']?(?:name|key)\\{0,3}["']?\s{0,2}:\s{0,2}\\{0,3}["']([\w.-]{2,60})\\{0,3}["']/i;

/** The name beside a `value`, in lower case, whatever it means: `{"name": "cookie", "value": "…"}` of a HAR file. */
export function readNameOfPair(text: string, nameStart: number): string | undefined {
  const before = text.slice(Math.max(0, nameStart - 120), nameStart);
  return NAME_OF_PAIR.exec(before.slice(before.lastIndexOf("{") + 1))?.[1]?.toLowerCase();
}

const COOKIE_ATTRIBUTE = /["'](?:httpOnly|sameSite|domain|hostOnly|secure|expires|expirationDate)\\{0,3}["']/;

/** Whether the object around a `value` is a cookie, as browsers export them. */
export function isInCookie(text: string, nameStart: number, valueEnd: number): boolean {
  const before = text.slice(Math.max(0, nameStart - LOOK_AROUND), nameStart);
  const after = text.slice(valueEnd, valueEnd + LOOK_AROUND);
  const object = before.slice(before.lastIndexOf("{") + 1) + after.slice(0, after.search(/[{}]|$/));
  return COOKIE_ATTRIBUTE.test(object);
}

/** In prose and prompts a name has spaces: `API key: …`, `AWS Secret Access Key [None]: …`. */
const WORDS_BEFORE = /(?<![A-Za-z])((?:[A-Za-z]{2,12} ){1,3})\[?$/;

/** The name that the words before `key`, `token` or `[None]` make. Any word may precede `key` in a sentence. */
export function readNameInWords(text: string, nameStart: number, name: string): SecretName | undefined {
  const words = WORDS_BEFORE.exec(text.slice(Math.max(0, nameStart - 50), nameStart))?.[1];
  if (words === undefined) return undefined;
  const spoken = readSecretName((/none/i.test(name) ? words : words + name).trim().replaceAll(" ", "_"));
  return spoken?.isStrong === true ? spoken : undefined;
}

/** The name of the object or section around a `default` or `value`: `DbPassword:⏎  Type: String⏎  Default: …`. */
export function readParentName(text: string, nameStart: number): SecretName | undefined {
  return firstParent(text, nameStart, readSecretName);
}

/** The name that the object or section around a plain `key` makes with it: `jwt` and `key`. */
export function readNameWithParent(text: string, nameStart: number, name: string): SecretName | undefined {
  return firstParent(text, nameStart, (parent) => {
    const read = readSecretName(`${parent}_${name}`);
    return read?.kind === "secret" || read?.isStrong === true ? read : undefined;
  });
}

function firstParent(
  text: string,
  nameStart: number,
  read: (parent: string) => SecretName | undefined,
): SecretName | undefined {
  // A line break at the beginning, so that a section in the first line is one.
  const from = Math.max(0, nameStart - LOOK_AROUND);
  const before = (from === 0 ? "\n" : "") + text.slice(from, nameStart);
  for (const findParent of [parentObject, parentOfIndented, parentSection]) {
    const parent = findParent(before);
    const name = parent === undefined ? undefined : read(parent);
    if (name !== undefined) return name;
  }
  return undefined;
}

/** `"Jwt": { … "Key":` */
function parentObject(before: string): string | undefined {
  const opening = before.lastIndexOf("{");
  if (opening === -1 || before.includes("}", opening)) return undefined;
  return /([\w-]{2,40})["']?[ \t]{0,2}[:=]?[ \t]{0,2}$/.exec(
    before.slice(Math.max(0, opening - 50), opening),
  )?.[1];
}

/** `jwt:⏎  key:`: the nearest line before that is indented less. */
function parentOfIndented(before: string): string | undefined {
  const lines = before.split("\n");
  const indentation = lines.pop() ?? "";
  if (!/^[ \t]{1,60}$/.test(indentation)) return undefined;
  const parent = lines.findLast((line) => /\S/.test(line) && line.search(/\S/) < indentation.length);
  return parent === undefined ? undefined : /^[ \t]*([\w-]{2,40}):[ \t]*$/.exec(parent)?.[1];
}

/** `[jwt]⏎key =` */
function parentSection(before: string): string | undefined {
  const opening = before.lastIndexOf("\n[");
  return opening === -1 ? undefined : /^\n\[([\w.-]{2,40})\]/.exec(before.slice(opening))?.[1];
}
