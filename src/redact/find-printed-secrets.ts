import { isUuid } from "../jsonl/values.ts";
import { looksRandom } from "./randomness.ts";
import type { Sign } from "./scan-signs.ts";
import { isPlaceholder } from "./secret-value.ts";

/** The beginning of a command line in a terminal. */
const PROMPTS = ["$ ", "❯ ", "➜ ", "PS> "] as const;

/** Commands that print only a secret. */
const PRINTS_SECRET: readonly RegExp[] = [
  // The name of the file says what it contains: `cat config/master.key`, `cat /run/secrets/db_password`
  /^(?:sudo )?(?:cat|bat|less|more|head|tail|type|Get-Content)(?: -\S+)* \S*(?:master\.key|secrets?\/\S+|(?:password|passwd|passphrase|secret|token|api[_-]?key|\.pass|vault[_-]pass\w*|credential)s?(?:\.txt|\.key|\.secret)?|\.key)$/i,
  /^(?:printenv|echo) \$?\{?"?\$?\{?\w*(?:PASSWORD|PASSWD|SECRET|TOKEN|API_?KEY|PRIVATE_KEY)\}?"?$/,
  /^(?:pass(?: show)?|gopass show|op read|secret-tool lookup|bw get password|lpass show --password|keyring get) \S+/,
  /^(?:vault (?:kv get|read)|doppler secrets get|heroku config:get|terraform output|tofu output|chamber read|railway variables|security find-\w+-password|flyctl auth token|fly auth token|gh auth token|gcloud auth print|glab auth|kubeadm token create|argocd admin initial-password|npm token create|pulumi config get|az keyvault secret show|infisical secrets get|dotenvx get)\b/,
  /^aws (?:secretsmanager get-secret-value|ssm get-parameters?|ecr get-login-password)\b/,
  /^(?:\S*\/)?(?:(?:bitcoin|litecoin|dogecoin|dash)-cli(?: -\S+)* dumpprivkey|lncli bakemacaroon|cast wallet private-key|monero-wallet-cli|geth account)\b/,
  /\|\s*base64 (?:-d|-D|--decode)(?:;\s*echo)?$/,
  /^(?:openssl rand|pwgen|wg gen(?:key|psk)|(?:bin\/)?rails secret|rake secret|mix phx\.gen\.secret|php artisan key:generate --show|head -c \d+ \/dev\/u?random \||python3? -c ["']import secrets)/,
  /\bjq -r ["']?\.\S*(?:password|secret|token|key)\S*["']?$/i,
];
const COMMAND = /[^\n]{1,300}/y;
const OUTPUT = /\r?\n([^\s"'`\\]{8,200})[ \t]{0,4}(?:\r?\n|$)/y;

/** Secrets that a command printed in a terminal, on the line after it. */
export const printedSecretSigns: readonly Sign[] = PROMPTS.map((prompt) => ({
  sign: prompt,
  find: (text, at, found) => {
    COMMAND.lastIndex = at + prompt.length;
    if (!COMMAND.test(text) || text.charCodeAt(COMMAND.lastIndex) !== 10) return at;
    const outputAt = COMMAND.lastIndex;
    const command = text.slice(at + prompt.length, outputAt).trim();
    OUTPUT.lastIndex = outputAt;
    const output = OUTPUT.exec(text)?.[1];
    if (output === undefined || !isPrintedSecret(output)) return at;
    if (!PRINTS_SECRET.some((pattern) => pattern.test(command))) return at;
    const start = text.indexOf(output, outputAt);
    found.push({ kind: "secret", start, end: start + output.length });
    return start;
  },
}));

function isPrintedSecret(word: string): boolean {
  if (isPlaceholder(word) || /^[\w.-]+[:=]|:\/\/|^[~./]/.test(word)) return false;
  return (
    isUuid(word) ||
    looksRandom(word, 12) ||
    (/\d/.test(word) && /[A-Za-z]{2}/.test(word) && !/\.\w{1,5}$/.test(word))
  );
}
