import { MASK_BEGIN } from "./mask.ts";

/** `${TOKEN}`, `$TOKEN`, `{{ token }}`, `<token>`, `%TOKEN%`, `__TOKEN__`, `@@TOKEN@@`, `[token]`, `(hidden)`. */
const REFERENCE =
  /^(?:<|\[.*\]$|\(.*\)$|@@|\$[A-Za-z_][\w.]*$|\$\d?$|\{|%[A-Za-z_]+%$|%[sdv]$|__|#\{|`|\.\.|\u2026|!(?:vault|Ref|Sub|GetAtt|reference|secret|env))|\$\{|\$\(|\{\{/;
/** Words that say "put yours here". Each in one case at a time: in any mixture, random letters spell them now and then. */
const STAND_INS = (
  "your example placeholder changeme change_me change-me change-this replace insert todo fixme dummy redacted masked hidden here_ _here -here " +
  "keyhere tokenhere my_password my-password mypassword my_secret my-secret mysecret my_token my-token mytoken my_key my-key my_api my-api " +
  "foobar notasecret not_a_ not-a- fake mock sample xxxx process.env environ getenv undefined"
).split(" ");
const STAND_IN = new RegExp(
  STAND_INS.flatMap((word) => [word, word.toUpperCase(), word.charAt(0).toUpperCase() + word.slice(1)])
    .map((word) => word.replaceAll(".", "\\."))
    .concat("\\*\\*\\*", "\\.\\.\\.", "…")
    .join("|"),
);
/** One character, or one word of few, again and again. */
const FILLER = /^(?:(.)\1*|(?:0x)?(?:deadbeef|cafebabe|abc123|123456|abcdef)+)$/i;

/** Whether a value only marks the place where a secret would stand. */
export function isPlaceholder(value: string): boolean {
  // `$user:$pass`, `$config->{password}`
  if (value.startsWith("$") && /^\$[A-Za-z_]/.test(value) && !/\d/.test(value)) return true;
  return value.includes(MASK_BEGIN) || REFERENCE.test(value) || STAND_IN.test(value) || FILLER.test(value);
}
