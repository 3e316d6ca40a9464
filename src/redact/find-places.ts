import { holdsUserAndPassword } from "./find-assignments.ts";
import { looksRandom } from "./randomness.ts";
import type { Sign } from "./scan-signs.ts";
import { readSecretName, type SecretName } from "./secret-name.ts";
import { isPlaceholder, isSecretValue } from "./secret-value.ts";

/** A secret that neither a name with a sign nor a flag gives away, but the command, call or record that it is in. */
interface Place {
  /** A part of it that few other texts have. */
  readonly sign: string;
  readonly kind: string;
  /** Tried where the sign is; it may look behind. The first group is the secret; a group `name` must name a secret. */
  readonly pattern: RegExp;
  readonly confirm?: (secret: string) => boolean;
}

const QUOTE = String.raw`\\{0,3}["']?`;
/** A word of a command, in quotes or not. */
const WORD = String.raw`${QUOTE}[^\s"'\\|;]{1,80}${QUOTE}`;
const PASSWORD = String.raw`${QUOTE}([^\s"'\\|<>;$-][^\s"'\\|<>;]{3,127})`;
const STRING = String.raw`["'][^"'\n]{0,200}["']`;
const PASSWORD_STRING = String.raw`["']([^"'\n]{4,128})["']`;
const COMMA = String.raw`\s{0,8},\s{0,8}(?:\w{1,20}\s?=\s?)?`;

/** Letters, a digit, and a capital or sign among them: no word that could stand there otherwise. */
function isStrongPassword(text: string): boolean {
  return /\d/.test(text) && /[A-Za-z]{2}/.test(text) && /[^\w:/-]|[a-z].*[A-Z]|[A-Z].*[a-z]/.test(text);
}

const place = (sign: string, source: string, options: Partial<Place> = {}): Place => ({
  sign,
  kind: "password",
  pattern: new RegExp(source, "dy"),
  ...options,
});

const commands: readonly Place[] = [
  // htpasswd -b file user …
  place(
    "wd -",
    String.raw`(?<=htpass)wd (?:-\w{1,4} ){0,3}-\w{0,4}b\w{0,4} (?:-\w{1,4} ){0,3}(?:${WORD} ){1,2}${PASSWORD}`,
  ),
  // echo "user:…" | chpasswd
  place(
    "wd",
    String.raw`(?<=echo (?:-\w )?${QUOTE}[\w.-]{1,40}:([^\s"'\\|]{4,128})${QUOTE} ?\| ?(?:sudo )?chpass)wd`,
  ),
  // sudo -S … <<< "…"
  place("<<<", String.raw`(?<=(?:sudo -S|-stdin|cryptsetup|kinit|passwd)[^\n|;<]{0,100})<<< ?${PASSWORD}`),
  place("net use", `net user ${WORD} ${PASSWORD}`),
  place("net use", String.raw`net use (?:\S{1,4} )?\S{3,80} (?:/user:\S{1,60} )?(?!/)${PASSWORD}`),
  place(
    "mqctl ",
    String.raw`mqctl (?:-\w \S{1,40} )?(?:add_user|change_password|authenticate_user) ${WORD} ${PASSWORD}`,
  ),
  place("qladmin ", String.raw`qladmin (?:-\S{1,40} (?:\w{1,20} )?){0,4}password ${PASSWORD}`),
  place("sqlplus ", String.raw`sqlplus (?:-\w{1,3} ){0,3}${QUOTE}[\w.]{1,40}/([^\s"'@/]{4,80})@`),
  // redis.conf, redis-cli
  place("requirepass ", `requirepass ${PASSWORD}`),
  place("masterauth ", `masterauth ${PASSWORD}`),
  place("AUTH ", String.raw`(?<=^|[\n>"'] ?)AUTH (?:default )?(?=\S{0,60}\d)(?=\S{0,60}[A-Za-z])${PASSWORD}`),
  // SMTP
  place("AUTH PLAIN ", "AUTH PLAIN ([A-Za-z0-9+/]{12,400}={0,2})"),
  place("wandb login ", String.raw`wandb login (?:--\w{1,20} )?([0-9a-f]{40})`, { kind: "api-key" }),
  place("xfreerdp ", String.raw`xfreerdp [^\n]{0,200}? /p:${PASSWORD}`),
  // echo … | wrangler secret put NAME
  ...["secret put", "secret create", "secrets set", "secret set", "secrets put"].map((sign) =>
    place(
      sign,
      String.raw`(?<=(?:echo|printf) (?:-\w )?${QUOTE}([^\s"'\\|]{6,400})${QUOTE} ?\| ?[^|\n]{0,60})${sign}`,
    ),
  ),
  place("ConvertTo-SecureString ", `ConvertTo-SecureString (?:-String )?${PASSWORD_STRING}`),
  // expect: send "…\r"
  place(
    '\\r"',
    String.raw`(?<=ass(?:word|phrase)[^\n]{0,16}\n?[ \t]{0,8}send(?:line)? (?:-- )?"([^"\n\\]{4,64}))\\r"`,
  ),
  // Routers: username admin secret 0 …
  place("word ", String.raw`(?<=pass)word [0-9] ([^\s"']{6,128})`),
  place("secret ", String.raw`secret [0-9] ([^\s"']{6,128})`),
  // Settings of LDAP, Kickstart, IPsec, Postfix, IRC
  place("bindpw ", `bindpw ${PASSWORD}`),
  place("rootpw ", `rootpw (?:--plaintext )?${PASSWORD}`),
  ...["PSK ", "EAP ", "XAUTH "].map((sign) => place(sign, `(?<=: )${sign}"([^"\\n]{4,128})"`)),
  place("]:", String.raw`\]:\d{2,5}[ \t]{1,8}[\w.@+-]{1,80}:([^\s"']{4,128})`),
  place("IDENTIFY ", `(?<=[sS]erv |^|\\n)IDENTIFY (?:\\w{1,30} )?${PASSWORD}`, { confirm: isStrongPassword }),
  // FTP, POP3, IMAP
  place("PASS ", String.raw`(?<=USER [^\n]{1,80}\n(?:[^\n]{0,100}\n){0,2}(?:C: |> |---> )?)PASS (\S{4,128})`),
  place(" LOGIN ", String.raw`(?<=(?:^|\n)(?:C: |> )?\w{1,8}) LOGIN ${WORD} ${PASSWORD}`),
  place("--token ", String.raw`--token ([a-z0-9]{6}\.[a-z0-9]{16})(?!\w)`, { kind: "token" }),
  // user ann pass …
  place("pass ", String.raw`(?<=user(?:name)? \S{1,60} (?:and )?)pass ${PASSWORD}`, {
    confirm: isStrongPassword,
  }),
  ...["creds are ", "credentials are "].map((sign) =>
    place(
      sign,
      String.raw`${sign}["'\x60]?[\w.@+-]{2,60}["'\x60]? ?[/:,] ?["'\x60]?([^\s"'\x60,;()]{6,64})`,
      {
        confirm: isStrongPassword,
      },
    ),
  ),
  place("word changed from ", String.raw`word changed from (\S{4,128}) to `),
  place(
    "word changed from ",
    String.raw`word changed from (?:\[masked[^\]]{0,40}\]|\S{4,128}) to (\S{4,128})`,
  ),
  // The code of a wireless network
  place("WIFI:", String.raw`WIFI:(?:[^\n]{0,100}?;)?P:([^;\n]{4,63});`),
  // netsh wlan show profile key=clear
  place("Key Content", String.raw`Key Content[ \t]{0,16}: (\S{4,64})`),
];

const calls: readonly Place[] = [
  // With a user and a password: HTTPBasicAuth, request.auth, smtp.login, NetworkCredential
  place("uth(", String.raw`uth\(\s{0,8}${STRING}${COMMA}${PASSWORD_STRING}\s{0,8}[,)]`),
  place("login(", String.raw`login\(\s{0,8}${STRING}${COMMA}${PASSWORD_STRING}\s{0,8}\)`),
  place("Credential", String.raw`Credentials?\(\s{0,8}${STRING}${COMMA}${PASSWORD_STRING}`),
  // With a place, a user and a password: PDO, mysqli, JDBC
  place("PDO(", String.raw`PDO\([^,\n]{1,200},\s{0,8}${STRING},\s{0,8}${PASSWORD_STRING}`),
  place("mysqli", String.raw`mysqli(?:_connect)?\(${STRING},\s{0,8}${STRING},\s{0,8}${PASSWORD_STRING}`),
  place("Connection(", String.raw`Connection\([^,\n]{1,200},\s{0,8}${STRING},\s{0,8}${PASSWORD_STRING}`),
  place("connect(", String.raw`connect\([^,\n]{1,200},\s{0,8}${STRING},\s{0,8}${PASSWORD_STRING}`, {
    confirm: isStrongPassword,
  }),
  // What a test of a page types: get('#password').type('…')
  ...[".type(", ".fill(", "send_keys(", "sendKeys("].map((sign) =>
    place(
      sign,
      String.raw`(?<=[pP]ass(?:word|wd)?[^\n;]{0,30}\)\.?)${sign.replace(/[.(]/g, "\\$&")}${PASSWORD_STRING}`,
    ),
  ),
  // With a name and a value: define('AUTH_SALT', '…')
  place(
    "define(",
    String.raw`define\(\s{0,4}["'](?<name>\w{3,60})["'],\s{0,4}(?:"([^"\n]{8,200})"|'([^'\n]{8,200})')`,
    {
      kind: "secret",
    },
  ),
];

const records: readonly Place[] = [
  // A property list: <key>Password</key><string>…</string>; Hadoop, Jenkins: <name>…</name><value>…</value>
  place("</key>", String.raw`(?<=<key>(?<name>[\w .-]{2,60}))</key>\s{0,40}<string>([^<\n]{4,200})</string>`),
  place(
    "</name>",
    String.raw`(?<=<name>(?<name>[\w .-]{2,60}))</name>\s{0,40}<value>([^<\n]{4,200})</value>`,
  ),
  place(
    "</Key>",
    String.raw`(?<=<Key>(?<name>[\w .-]{2,60}))</Key>\s{0,40}<Value[^<>\n]{0,60}>([^<\n]{4,200})</Value>`,
  ),
  place("<Pass", String.raw`<Pass(?: [^<>\n]{0,40})?>([^<\n]{4,200})</Pass>`),
  place(" As String = ", String.raw`(?<=(?<name>\w{3,60})) As String = "([^"\n]{4,200})"`),
  // The state of Terraform
  place("random_password", String.raw`random_password"[^]{0,800}?"result": ?"([^"\n\\]{4,200})"`),
  // The key file of Kaggle
  place('"key"', String.raw`(?<="username": ?"[^"\n]{1,60}", ?)"key": ?"([0-9a-f]{32})"`, {
    kind: "api-key",
  }),
  // A file of cookies for curl
  place("TRUE\t", String.raw`TRUE\t\d{1,12}\t[\w.-]{1,60}\t([^\s]{16,400})`, {
    kind: "cookie",
    confirm: (value) => looksRandom(value, 16),
  }),
  place("Basic ", String.raw`Basic ([A-Za-z0-9+/]{8,400}={0,2})(?![\w+/=])`, {
    kind: "authorization",
    confirm: holdsUserAndPassword,
  }),
];

const NO_PASSWORD =
  /^(?:password|passwd|pass|secret|token|string|user|admin|test|null|none|true|false|localhost)$/i;

/** Secrets that commands, calls and records have at a place of their own. */
export const placeSigns: readonly Sign[] = [...commands, ...calls, ...records].map((entry) => ({
  sign: entry.sign,
  find: (text, at, found) => {
    entry.pattern.lastIndex = at;
    const match = entry.pattern.exec(text);
    if (match === null) return at;
    const named = match.groups?.name;
    const range = match.indices?.slice(named === undefined ? 1 : 2).find((indices) => indices !== undefined);
    if (range === undefined) return at;
    const [start, end] = range;
    const secret = text.slice(start, end);
    const name = named === undefined ? undefined : readSecretName(named.replaceAll(" ", "_"));
    if (named === undefined ? !isSecret(entry, secret) : name === undefined || !isNamed(name, secret, start))
      return at;
    found.push({ kind: name?.kind ?? entry.kind, start, end });
    return at;
  },
}));

function isNamed(name: SecretName, text: string, start: number): boolean {
  return isSecretValue(
    { ...name, isSetting: true },
    { text, start, end: start + text.length, quote: '"' },
    "",
  );
}

function isSecret({ confirm }: Place, text: string): boolean {
  if (isPlaceholder(text) || NO_PASSWORD.test(text)) return false;
  return confirm === undefined ? !/\s/.test(text) || /\d/.test(text) : confirm(text);
}
