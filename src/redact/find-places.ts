import { holdsUserAndPassword } from "./find-headers.ts";
import { isSeedPhrase } from "./find-phrases.ts";
import { isStrongKey, isStrongPassword, looksRandom } from "./randomness.ts";
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
  /** For a sign of one character: only if one of these follows. */
  readonly before?: string;
  /** Words of the dictionary, where `sample` or `hidden` marks no place to fill in. */
  readonly isWords?: boolean;
}

const QUOTE = String.raw`\\{0,3}["']?`;
/** A word of a command, in quotes or not. */
const WORD = String.raw`${QUOTE}[^\s"'\\|;]{1,80}${QUOTE}`;
const PASSWORD = String.raw`${QUOTE}([^\s"'\\|<>;$-][^\s"'\\|<>;]{3,127})`;
const STRING = String.raw`["'][^"'\n]{0,200}["']`;
const PASSWORD_STRING = String.raw`["']([^"'\n]{4,128})["']`;
const COMMA = String.raw`\s{0,8},\s{0,8}(?:\w{1,20}\s?=\s?)?`;

/** Letters, a digit, and a capital or sign among them: no word that could be there otherwise. */
function isMixed(text: string): boolean {
  return /\d/.test(text) && /[A-Za-z]{2}/.test(text) && /[^\w:/-]|[a-z].*[A-Z]|[A-Z].*[a-z]/.test(text);
}

/** Nothing but a password or a key looks like that. */
function isStrong(text: string): boolean {
  return isStrongPassword(text) || isStrongKey(text);
}

/** `/p:Configuration=Release` sets a property of a build. */
function isWindowsPassword(text: string): boolean {
  return isStrong(text) && !text.includes("=");
}

/** In a line of settings a password may be letters only, but none of the words that say where it comes from. */
function isWordOfSettings(text: string): boolean {
  const name = readSecretName("password");
  const value = { text, start: 0, end: text.length, quote: '"' } as const;
  return name !== undefined && isSecretValue(name, value, "");
}

const place = (
  sign: string,
  source: string,
  { flags = "", ...options }: Partial<Place> & { readonly flags?: string } = {},
): Place => ({
  sign,
  kind: "password",
  pattern: new RegExp(source, `dy${flags}`),
  ...options,
});

/** A password, a pair of user and password, or base64 of one of them. */
function isEchoed(text: string): boolean {
  const pair = /^[\w.@+-]{1,60}:(.{6,})$/.exec(text)?.[1];
  if (pair !== undefined) return isStrongPassword(pair);
  if (isStrongPassword(text)) return true;
  if (!/^[A-Za-z0-9+/_-]{12,400}={0,2}$/.test(text) || /^[0-9a-f]+$/.test(text)) return false;
  const decoded = decodeBase64(text);
  return decoded === undefined ? isStrongKey(text) : isStrongPassword(decoded) || holdsUserAndPassword(text);
}

/** What base64 holds, if that is plain text. */
function decodeBase64(text: string): string | undefined {
  try {
    const decoded = atob(text);
    return /^[\t\n\r -~]+$/.test(decoded) ? decoded.trim() : undefined;
  } catch {
    return undefined;
  }
}

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
  ...["sqlplus ", "rman target ", "sqlldr ", "expdp ", "impdp ", "exp ", "imp ", ":thin:"].map((sign) =>
    place(
      sign,
      String.raw`${sign}(?:-\w{1,3} ){0,3}${QUOTE}(?:userid=)?[\w.]{1,40}/${QUOTE}([^\s"'@/]{4,80})${QUOTE}@`,
    ),
  ),
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
  place("IDENTIFY ", `(?<=[sS]erv |^|\\n)IDENTIFY (?:\\w{1,30} )?${PASSWORD}`, { confirm: isMixed }),
  // FTP, POP3, IMAP
  place("PASS ", String.raw`(?<=USER [^\n]{1,80}\n(?:[^\n]{0,100}\n){0,2}(?:C: |> |---> )?)PASS (\S{4,128})`),
  place(" LOGIN ", String.raw`(?<=(?:^|\n)(?:C: |> )?\w{1,8}) LOGIN ${WORD} ${PASSWORD}`),
  place("--token ", String.raw`--token ([a-z0-9]{6}\.[a-z0-9]{16})(?!\w)`, { kind: "token" }),
  place("quitto_passwd -", String.raw`quitto_passwd -\w{0,3}b\w{0,3} \S{1,80} ${WORD} ${PASSWORD}`),
  place(" /rp ", String.raw` /rp ${PASSWORD}`),
  place("connect to ", String.raw`connect to \w{1,30} user \w{1,30} using ${PASSWORD}`),
  place("isql ", String.raw`isql (?:-\w )?${WORD} ${WORD} ${PASSWORD}`, { confirm: isStrong }),
  place("bw unlock ", `bw unlock ${PASSWORD}`),
  place("lpass ", `lpass \\w{1,12} ${PASSWORD}`, { confirm: isStrong }),
  place("vault login ", String.raw`vault login (?:-\S{1,40} )?(?:token=)?([\w.-]{20,200})`, {
    kind: "vault-token",
    confirm: isStrong,
  }),
  place("mc alias set ", `mc alias set ${WORD} ${WORD} ${WORD} ${PASSWORD}`),
  place("http-basic.", String.raw`http-basic\.\S{1,60} ${WORD} ${PASSWORD}`),
  place("service install ", String.raw`(?<=cloudflared )service install ([\w+/=-]{40,800})`, {
    kind: "cloudflare-key",
  }),
  place("etairportnetwork ", String.raw`etairportnetwork \w{1,12} (?:"[^"\n]{1,60}"|\S{1,60}) ${PASSWORD}`),
  place("wpa_passphrase ", String.raw`wpa_passphrase (?:"[^"\n]{1,60}"|'[^'\n]{1,60}'|\S{1,60}) ${PASSWORD}`),
  place(
    "wifi connect ",
    String.raw`wifi connect (?:"[^"\n]{1,60}"|\S{1,60}) password (?:"([^"\n]{4,63})"|'([^'\n]{4,63})'|([^\s"']{4,63}))`,
    {
      confirm: () => true,
    },
  ),
  place("community ", String.raw`(?<=snmp-server |r[ow])community (?!public|private)([^\s"']{6,64})`, {
    confirm: isStrong,
  }),
  place("-server key ", String.raw`-server key (?:\d )?([^\s"']{6,128})`, { confirm: isStrong }),
  place("ctl register ", String.raw`ctl register ${WORD} ${WORD} ${PASSWORD}`),
  place("/oper ", String.raw`(?<=^|\n)/oper ${WORD} ${PASSWORD}`),
  // ACL SETUSER worker on >…
  place("SETUSER ", String.raw`SETUSER \S{1,60} (?:[^\s>]{1,40} ){0,4}>([^\s"']{6,128})`),
  place("setuser ", String.raw`setuser \S{1,60} (?:[^\s>]{1,40} ){0,4}>([^\s"']{6,128})`),
  place("AUTH ", String.raw`AUTH [\w.-]{1,40} ([^\s"'\\|<>;]{8,128})`, { confirm: isStrong }),
  // openssl passwd -6 …
  place("openssl passwd ", String.raw`openssl passwd (?:-\w{1,8} (?:-salt \S{1,20} )?){0,3}${PASSWORD}`, {
    confirm: isStrong,
  }),
  // echo … | any command, echo … > private.key
  ...["echo ", "printf "].map((sign) =>
    place(
      sign,
      String.raw`${sign}(?:-\w{1,2} )?${QUOTE}([^\s"'\\|>$]{8,200})${QUOTE}(?:\\n)?${QUOTE} ?(?:\||> ?\S{0,80}(?:key|secret|token|pass)|\))`,
      {
        kind: "secret",
        confirm: isEchoed,
      },
    ),
  ),
  ...["echo ", "printf "].map((sign) =>
    place(
      sign,
      String.raw`${sign}(?:-\w{1,2} )?["']([^\s"'\\|>$]{8,80})\\n[^"'\n]{8,80}["'] ?\| ?(?:sudo )?(?:passwd|smbpasswd)`,
    ),
  ),
  ...["echo ", "printf "].map((sign) =>
    place(
      sign,
      String.raw`${sign}(?:-\w{1,2} )?["'][^\s"'\\|>$]{8,80}\\n([^"'\n]{8,80})["'] ?\| ?(?:sudo )?(?:passwd|smbpasswd)`,
    ),
  ),
  place("<<<", String.raw`<<< ?${PASSWORD}`, { confirm: isStrong }),
  // ann / …
  place(
    " / ",
    String.raw`(?<=(?:log ?in|sign in|creds?|credentials|account|user|zugang\w{0,8}|access)[^\n]{0,60}[\s"'\x60][\w.@+-]{2,60}["'\x60]?) / ["'\x60]?([^\s"'\x60,;()<>|]{6,64})`,
    { confirm: isStrong, flags: "i" },
  ),
  // reg add … /v ApiSecret /d …
  place("/v ", String.raw`/v ["']?(?<name>[\w .-]{3,60}?)["']? (?:/t \w{3,12} )?/d ["']?([^\s"']{4,200})`),
  place("nseal Key ", String.raw`nseal Key \d{1,2}: ([\w+/=]{40,90})`, { kind: "vault-token" }),
  // /etc/ppp/chap-secrets
  place('"  *', String.raw`(?<=(?:^|\n)\S{1,60}[ \t]{1,8}\S{1,40}[ \t]{1,8}"([^"\n]{6,64}))"  \*`),
  place(
    "  *",
    String.raw`(?<=(?:^|\n)\S{1,60}[ \t]{1,8}[\w*-]{1,40}[ \t]{1,8}"?([^\s"]{6,64})"?)  \*(?=\s|$)`,
    { confirm: isStrong },
  ),
  place('" *', String.raw`" \* "([^"\n]{6,64})"`, { confirm: isStrong }),
  // <auth-user-pass>
  place("ser-pass>", String.raw`ser-pass>\s{1,4}\S{1,60}\r?\n([^\s<]{4,128})\s`),
  ...["time code", "time password", "OTP", "ication code"].map((sign) =>
    place(sign, String.raw`${sign}(?: is)?:? ["'\x60*]{0,2}(\d{6,8}|\d{3}[ -]\d{3})(?![\w-])`, {
      confirm: () => true,
    }),
  ),
  ...["pin is ", "PIN is ", "Pin is "].map((sign) => place(sign, String.raw`${sign}(\d{4,8})(?![\w.])`)),
  place("oathtool ", String.raw`oathtool (?:-{1,2}\S{1,20} ){0,5}["']?([A-Z2-7]{16,64}={0,6})(?!\w)`, {
    kind: "secret",
  }),
  place("setapikey ", String.raw`setapikey ([\w-]{20,80})`, { kind: "api-key" }),
  place("setApiKey ", String.raw`setApiKey ([\w-]{20,80})`, { kind: "api-key" }),
  place("ccess key", String.raw`(?<=ecret a)ccess key\s{1,40}([A-Za-z0-9+/]{40})(?![\w+/=])`, {
    kind: "aws-secret-key",
  }),
  place("WORD FOR ", String.raw`WORD FOR [^\n=;]{1,80}= ?(?:PASSWORD\()?["']([^"'\n]{4,128})["']`),
  place("ascii-text ", `ascii-text ${PASSWORD}`, { confirm: isStrong }),
  place(
    '"keyName"',
    String.raw`"keyName": ?"[^"\n]{1,40}",\s{0,20}(?:"permissions": ?"\w{1,12}",\s{0,20})?"value": ?"([\w+/=]{20,100})"`,
    { kind: "azure-key" },
  ),
  place("printf ", String.raw`printf ["']%s(?:\\n)?["'] ["']([^\s"'\\|>$]{8,200})["'] ?\|`, {
    kind: "secret",
    confirm: isEchoed,
  }),
  place("uthenticate ", `uthenticate ${PASSWORD}`, { confirm: isStrong }),
  place("rpcauth=", String.raw`rpcauth=[\w.-]{1,40}:([0-9a-f]{16,64}\$[0-9a-f]{64})`, {
    kind: "password-hash",
  }),
  place("word 16:", String.raw`word 16:([0-9A-F]{58})`, { kind: "password-hash" }),
  // user ann pass …
  place("pass ", String.raw`(?<=user(?:name)? \S{1,60} (?:and )?)pass ${PASSWORD}`, {
    confirm: isMixed,
  }),
  ...["creds are ", "credentials are "].map((sign) =>
    place(
      sign,
      String.raw`${sign}["'\x60]?[\w.@+-]{2,60}["'\x60]? ?[/:,] ?["'\x60]?([^\s"'\x60,;()]{6,64})`,
      {
        confirm: isMixed,
      },
    ),
  ),
  place("word changed from ", String.raw`word changed from (\S{4,128}) to `),
  place(
    "word changed from ",
    String.raw`word changed from (?:\[masked[^\]]{0,40}\]|\S{4,128}) to (\S{4,128})`,
  ),
  // npm config set …:_authToken …, pulumi config set --secret dbPassword …
  ...["config set ", "git config "].map((sign) =>
    place(
      sign,
      String.raw`${sign}(?:-{1,2}\S{1,40} ){0,4}${QUOTE}(?<name>[\w:/.@-]{2,120})${QUOTE}[ =]${QUOTE}([^\s"'\\]{6,400})`,
    ),
  ),
  place("poetry config ", String.raw`poetry config (?<name>[\w-]{2,60})\.[\w-]{1,40} ${PASSWORD}`),
  // signtool … /p …, cmdkey … /pass:…; certutil -p …
  ...["/p ", "/pass", "/pw ", "/pwd"].map((sign) =>
    place(sign, String.raw`(?<= )/p(?:ass(?:word)?|wd?)?[: ]${PASSWORD}`, { confirm: isWindowsPassword }),
  ),
  place("certutil ", String.raw`certutil (?:-\S{1,20} ){0,6}?-p ${PASSWORD}`, { confirm: isStrong }),
  // Files of msmtp, mpop, fetchmail: the lines user … and password …
  place(
    "password ",
    String.raw`(?<=(?:^|\n)[ \t]{0,8}(?:user|username|login)[ \t]{1,8}\S{1,100}[ \t]{0,8}\r?\n[ \t]{0,8})password[ \t]{1,8}["']?([^\s"']{6,128})["']?(?=[ \t]{0,8}(?:\r?\n|$))`,
    { confirm: isWordOfSettings },
  ),
  // Password for the user was reset.⏎New value: …
  ...["alue: ", "esult: "].map((sign) =>
    place(
      sign,
      String.raw`(?<=(?:[pP]assword|[sS]ecret|[tT]oken|[kK]ey)[^\n]{0,100}\r?\n[ \t]{0,8}(?:[Nn]ew |[Ii]ts )?[vVrR])${sign}([^\s"']{8,200})(?=\s|$)`,
      { confirm: isStrong },
    ),
  ),
  // How do I log in?⏎A: viewer / …
  place(
    " / ",
    String.raw`(?<=(?:log ?in|sign in|passw|creds?|credentials|access)[^]{0,200}\n[ \t>*-]{0,4}(?:[\w<>[\]]{1,20}[:>] )?["'\x60]?[\w.@+-]{2,40}["'\x60]?) / ["'\x60]?([^\s"'\x60,;()<>|]{8,64})["'\x60]?(?=\s|$)`,
    { confirm: (text) => isStrong(text) && /[!#$%^&*?~@+]/.test(text), flags: "i" },
  ),
  place("-literal=", String.raw`-literal=${QUOTE}[\w.-]{1,60}=${QUOTE}([^\s"'\\]{8,200})`, {
    kind: "secret",
    confirm: isStrong,
  }),
  // echo … > .restic-pass
  place(
    "echo ",
    String.raw`echo (?:-\w{1,2} )?["']?([^\s"'\\|>$]{8,80})["']? ?> ?[\w./~-]{0,80}(?:pass|password|passwd|passphrase|secret|token)(?:\.txt)?(?=[\s;&"']|$)`,
    { confirm: (text) => /\d/.test(text) && /[A-Za-z]{3}/.test(text) && !/^[./~]|\.\w{1,4}$/.test(text) },
  ),
  // I log in as "…" with "…"
  ...[" with ", " using "].map((sign) =>
    place(
      sign,
      String.raw`(?<=(?:log ?in|sign in|authenticate)[^\n]{0,80}["'\w.])${sign}["']([^\s"'\n]{6,64})["']`,
      {
        confirm: isStrong,
        flags: "i",
      },
    ),
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
    confirm: isMixed,
  }),
  // What a test of a page types: get('#password').type('…')
  ...[".type(", ".fill(", "send_keys(", "sendKeys("].map((sign) =>
    place(
      sign,
      String.raw`(?<=[pP]ass(?:word|wd)?[^\n;]{0,30}\)\.?)${sign.replace(/[.(]/g, "\\$&")}${PASSWORD_STRING}`,
    ),
  ),
  place(
    "Credentials(",
    String.raw`Credentials\((?:\s{0,8}${STRING},){2,3}\s{0,8}${PASSWORD_STRING}\s{0,8}\)`,
  ),
  place("pw_set(", String.raw`pw_set\(\s{0,8}${STRING}${COMMA}${PASSWORD_STRING}`),
  place("_auth(", String.raw`_auth\(\s{0,8}${STRING},\s{0,8}Some\(\s{0,4}${PASSWORD_STRING}`),
  place("WiFi.begin(", String.raw`WiFi\.begin\(\s{0,8}${STRING},\s{0,8}${PASSWORD_STRING}`),
  // With a key among its arguments: signing, encryption, wallets
  ...[
    "Fernet(",
    "hmac.new(",
    "createHmac(",
    "Hmac(",
    "Cipheriv(",
    "Decipheriv(",
    "jwt.sign(",
    "jwt.verify(",
    "jwt.encode(",
    "jwt.decode(",
    "JWT.encode(",
    "JWT.decode(",
    "ookieParser(",
    "crypt(",
    "ncrypt(",
    "ecrypt(",
    "Wallet(",
    "Realtime(",
    "Rest(",
    "uthenticate(",
    "signin(",
    "signIn(",
    "hashpw(",
    "getBytes(",
    "secretbox(",
    "SecretKeySpec(",
    "SigningKey(",
    "hmac(",
    "HMAC(",
    "Client(",
    "SecretString::from(",
    "Secret::new(",
    "SecretStr(",
    "ecure_compare(",
    "compare_digest(",
    "SafeEqual(",
  ].map((sign) =>
    place(
      sign,
      String.raw`${sign.replace(/[.(]/g, "\\$&")}(?:[^"'\n;]|["'][^"'\n]{0,14}["']){0,120}?b?["'](?:0x)?((?!(?:aes|sha|des|rsa|chacha|bf|id)[-\d])[^"'\n\s]{8,200})["']`,
      { kind: "secret", confirm: isStrong },
    ),
  ),
  // create_superuser('ops', 'ops@acme.example', '…'), red:auth("…")
  ...["superuser(", "create_user(", "createUser(", "add_user(", "addUser("].map((sign) =>
    place(
      sign,
      String.raw`${sign.replace("(", "\\(")}\s{0,8}(?:${STRING}${COMMA}){1,3}${PASSWORD_STRING}\s{0,8}[,)]`,
      {
        confirm: isMixed,
      },
    ),
  ),
  place("auth(", String.raw`(?<=[:.])auth\(\s{0,4}${PASSWORD_STRING}\s{0,4}\)`, { confirm: isStrong }),
  // With a plain key: wandb.login(key="…")
  ...["login(", "init(", "configure(", "setup(", "Client("].map((sign) =>
    place(
      sign,
      String.raw`${sign.replace("(", "\\(")}(?:[^()\n]{0,120}?[,\s])?key\s?=\s?\\{0,3}["']([\w.-]{20,200})\\{0,3}["']`,
      { kind: "api-key", confirm: (key) => looksRandom(key, 20) },
    ),
  ),
  // The words of a wallet: HDWalletProvider('…'), Wallet.fromPhrase("…")
  ...["Provider(", "Phrase(", "nemonic(", "ToSeed(", "ToSeedSync(", "Mnemonic("].map((sign) =>
    place(
      sign,
      String.raw`${sign.replace("(", "\\(")}\s{0,8}["'\x60]((?:[a-z]{3,8} ){11,23}[a-z]{3,8})["'\x60]`,
      {
        kind: "seed-phrase",
        confirm: isSeedPhrase,
        isWords: true,
      },
    ),
  ),
  // user == "ops" && p == "…", c.name !== 'ops' || c.pass !== '…'
  ...['== "', "== '"].map((sign) =>
    place(
      sign,
      String.raw`(?<=(?:\bu|user|username|login|name|usr)\s?[!=]={1,2}\s?["'][^"'\n]{1,60}["']\s?(?:&&|\|\||and|or|&)\s?[\w.$]{1,40}\s?[!=]?)${sign}([^"'\n]{6,128})["']`,
      { confirm: isStrong },
    ),
  ),
  // With a name and a value: define('AUTH_SALT', '…')
  place(
    "define(",
    String.raw`define\(\s{0,4}["'](?<name>\w{3,60})["'],\s{0,24}(?:"([^"\n]{8,200})"|'([^'\n]{8,200})')`,
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
  // The session of Salesforce
  place("!AQ", String.raw`(?<=\b00D[A-Za-z0-9]{12,15})(!AQ[\w.]{60,200})`, { kind: "token" }),
  place("content=", String.raw`(?<=name=["'](?<name>[\w .-]{2,60})["'] )content=["']([^"'<>\n]{8,400})["']`),
  // The keypair of Solana
  place(
    "[",
    String.raw`(?<=(?:key|solana|secret|wallet|id\.json)[^[]{0,60})\[((?:\d{1,3}, ?){63}\d{1,3})\]`,
    {
      kind: "private-key",
      before: "0123456789",
      confirm: () => true,
    },
  ),
  place("<Pass", String.raw`<Pass(?: [^<>\n]{0,40})?>([^<\n]{4,200})</Pass>`),
  place(" As String = ", String.raw`(?<=(?<name>\w{3,60})) As String = "([^"\n]{4,200})"`),
  // The state of Terraform
  place("random_password", String.raw`random_password"[^]{0,800}?"result": ?"([^"\n\\]{4,200})"`),
  place(
    '"result"',
    String.raw`(?<="(?:bcrypt_hash|min_lower|override_special)"[^]{0,400})"result": ?"([^"\n\\]{4,200})"`,
  ),
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
  ...(entry.before === undefined ? {} : { before: entry.before }),
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

function isSecret({ confirm, isWords }: Place, text: string): boolean {
  if (isWords === true) return confirm?.(text) === true;
  if (isPlaceholder(text) || NO_PASSWORD.test(text)) return false;
  return confirm === undefined ? !/\s/.test(text) || /\d/.test(text) : confirm(text);
}
