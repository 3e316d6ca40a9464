import { holdsUserAndPassword } from "./find-headers.ts";
import { isSeedPhrase } from "./find-phrases.ts";
import {
  isMixed,
  isStrong,
  PASSWORD,
  PASSWORD_STRING,
  type Place,
  place,
  QUOTE,
  SHELL_WORD,
} from "./place.ts";
import { isIrregular, isPasswordOfUser, isStrongKey, isStrongPassword } from "./randomness.ts";
import { readSecretName } from "./secret-name.ts";
import { isSecretValue } from "./secret-value.ts";

/** `/p:Configuration=Release` sets a property of a build. */
function isWindowsPassword(text: string): boolean {
  return isStrong(text) && !text.includes("=");
}

/** In a settings line a password may be letters only, but not a word such as `required` or `prompt`. */
function isWordOfSettings(text: string): boolean {
  const name = readSecretName("password");
  const value = { text, start: 0, end: text.length, quote: '"' } as const;
  return name !== undefined && isSecretValue(name, value, "");
}

/** The start of a connection string, before the password: `Server=…;Uid=…;`. Not `host=…;`, which is also code. */
const CONNECTION = String.raw`(?:Server|Host|Data Source|Database|Initial Catalog|User ?I[dD]|Uid|UID|SERVER|DATABASE|User(?:name)?|Port|Driver|DRIVER|DSN) ?=[^;"'\n]{1,100};(?:[^;"'\n]{1,100};){0,6} ?`;

/** Any word, but no call, and no word such as `required`. */
function isOfConnection(text: string): boolean {
  return !/^[\w$.]+[([]/.test(text) && isWordOfSettings(text);
}

/** A password, a pair of user and password, or base64 of one of them. */
function isEchoed(text: string): boolean {
  const pair = /^[\w.@+-]{1,60}:(.{6,})$/.exec(text)?.[1];
  if (pair !== undefined) return isStrongPassword(pair);
  if (isStrongPassword(text)) return true;
  if (!/^[A-Za-z0-9+/_-]{12,400}={0,2}$/.test(text) || /^[0-9a-f]+$/.test(text)) return false;
  const decoded = decodeBase64(text);
  return decoded === undefined ? isStrongKey(text) : isStrongPassword(decoded) || holdsUserAndPassword(text);
}

/** The text in base64, if it is plain text. */
function decodeBase64(text: string): string | undefined {
  try {
    const decoded = atob(text);
    return /^[\t\n\r -~]+$/.test(decoded) ? decoded.trim() : undefined;
  } catch {
    return undefined;
  }
}

/** Secrets in commands of shells and databases, in settings files without separators, and in people's own text. */
export const commandPlaces: readonly Place[] = [
  // htpasswd -b file user …
  place(
    "wd -",
    String.raw`(?<=htpass)wd (?:-\w{1,4} ){0,3}-\w{0,4}b\w{0,4} (?:-\w{1,4} ){0,3}(?:${SHELL_WORD} ){1,2}${PASSWORD}`,
  ),
  // echo "user:…" | chpasswd
  place(
    "wd",
    String.raw`(?<=echo (?:-\w )?${QUOTE}[\w.-]{1,40}:([^\s"'\\|]{4,128})${QUOTE} ?\| ?(?:sudo )?chpass)wd`,
  ),
  // sudo -S … <<< "…"
  place("<<<", String.raw`(?<=(?:sudo -S|-stdin|cryptsetup|kinit|passwd)[^\n|;<]{0,100})<<< ?${PASSWORD}`),
  place("net use", `net user ${SHELL_WORD} ${PASSWORD}`),
  place("net use", String.raw`net use (?:\S{1,4} )?\S{3,80} (?:/user:\S{1,60} )?(?!/)${PASSWORD}`),
  place(
    "mqctl ",
    String.raw`mqctl (?:-\w \S{1,40} )?(?:add_user|change_password|authenticate_user) ${SHELL_WORD} ${PASSWORD}`,
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
  // --user=name:…
  place("-user=", String.raw`-user=${QUOTE}[\w.@+-]{1,60}:([^\s"'\\:]{6,128})`, {
    confirm: isPasswordOfUser,
  }),
  // secretsdump.py DOMAIN/user:…@host
  ...["secretsdump", "wmiexec", "smbexec"].map((sign) =>
    place(sign, String.raw`${sign}[^\n@]{0,100}? ["']?[\w.-]{1,40}/[\w.$-]{1,40}:([^\s"'@]{4,128})@`),
  ),
  // --password-file=<(echo …)
  place("<(", String.raw`(?<=pass[\w-]{0,20}[= ])<\((?:echo|printf) (?:-\w )?${PASSWORD}`),
  // bitcoin-cli importprivkey …
  place("privkey ", String.raw`(?<=import)privkey ${QUOTE}([1-9A-HJ-NP-Za-km-z]{50,52})(?!\w)`, {
    kind: "wallet-key",
  }),
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
  place(" LOGIN ", String.raw`(?<=(?:^|\n)(?:C: |> )?\w{1,8}) LOGIN ${SHELL_WORD} ${PASSWORD}`),
  place("--token ", String.raw`--token ([a-z0-9]{6}\.[a-z0-9]{16})(?!\w)`, { kind: "token" }),
  place("quitto_passwd -", String.raw`quitto_passwd -\w{0,3}b\w{0,3} \S{1,80} ${SHELL_WORD} ${PASSWORD}`),
  place(" /rp ", String.raw` /rp ${PASSWORD}`),
  place("connect to ", String.raw`connect to \w{1,30} user \w{1,30} using ${PASSWORD}`),
  place("isql ", String.raw`isql (?:-\w )?${SHELL_WORD} ${SHELL_WORD} ${PASSWORD}`, { confirm: isStrong }),
  place("bw unlock ", `bw unlock ${PASSWORD}`),
  place("lpass ", `lpass \\w{1,12} ${PASSWORD}`, { confirm: isStrong }),
  place("vault login ", String.raw`vault login (?:-\S{1,40} )?(?:token=)?([\w.-]{20,200})`, {
    kind: "vault-token",
    confirm: isStrong,
  }),
  place("mc alias set ", `mc alias set ${SHELL_WORD} ${SHELL_WORD} ${SHELL_WORD} ${PASSWORD}`),
  place("http-basic.", String.raw`http-basic\.\S{1,60} ${SHELL_WORD} ${PASSWORD}`),
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
  place("ctl register ", String.raw`ctl register ${SHELL_WORD} ${SHELL_WORD} ${PASSWORD}`),
  place("/oper ", String.raw`(?<=^|\n)/oper ${SHELL_WORD} ${PASSWORD}`),
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
    { confirm: (text) => isStrong(text) || isIrregular(text), flags: "i" },
  ),
  // doppler secrets set NAME …
  place("secrets set ", String.raw`secrets set ${QUOTE}(?<name>[A-Z][A-Z0-9_]{2,60})${QUOTE}[ =]${PASSWORD}`),
  place("keyMaterial=", String.raw`keyMaterial=${QUOTE}([^\s"']{8,63})`),
  // vault write auth/approle/login role_id=… secret_id=…
  place("secret_id=", String.raw`secret_id=${QUOTE}([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})`, {
    kind: "secret",
    confirm: () => true,
  }),
  // passphrase is "correct horse battery staple"
  place(
    "phrase is ",
    String.raw`(?<=[pP]ass)phrase is (?:now )?["']([a-z]{3,12}(?:[ -][a-z]{3,12}){3,9})["']`,
    {
      isWords: true,
      confirm: isSeedPhrase,
    },
  ),
  // "Which database password should I use?"="…"
  place('?"', String.raw`(?<=(?:password|passphrase|passwort)[^"\n]{0,80})\?" ?[=:] ?"([^\s"]{6,64})"`, {
    confirm: isMixed,
    flags: "i",
  }),
  // The generated password for user admin is⏎⏎ …
  place(
    "word for ",
    String.raw`(?<=pass)word for (?:the )?(?:user )?[\w."'@-]{1,60}(?: user)? is:?[ \t]{0,8}(?:\r?\n[ \t]{0,8}){1,3}([^\s"']{6,64})(?=\s|$)`,
    { confirm: isMixed, flags: "i" },
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
  // xcrun altool … -p abcd-efgh-ijkl-mnop
  ...["altool ", "notarytool ", "iTMSTransporter "].map((sign) =>
    place(sign, String.raw`${sign}(?:[^\n]|\\\n){0,400}? -p ${QUOTE}([a-z]{4}(?:-[a-z]{4}){3})(?![\w-])`),
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
  // 密码是 …, パスワードは …, пароль от … : …
  ...["\u5bc6\u7801", "\u30d1\u30b9\u30ef\u30fc\u30c9", "\ube44\ubc00\ubc88\ud638"].map((sign) =>
    place(
      sign,
      String.raw`${sign}(?:\u662f|\u4e3a|\u6539\u4e3a|\u306f|\ub294)["']?[:\uff1a]?[ \t]{0,3}["'\x60\u201c\u300c]?([!-&(-~]{6,64})`,
      { confirm: isMixed },
    ),
  ),
  place(
    "\u0430\u0440\u043e\u043b\u044c ",
    String.raw`(?<=[\u041f\u043f])\u0430\u0440\u043e\u043b\u044c (?:\u043e\u0442|\u0434\u043b\u044f|\u043a|\u043d\u0430) [^:\n]{1,40}?(?::| [-\u2013\u2014]) ["'\x60]?([^\s"'\x60,;]{6,64})`,
    { confirm: isMixed },
  ),
  // cat /etc/rsyncd.secrets⏎user:…
  place(
    "cat ",
    String.raw`cat [^\s|;]{0,80}(?:secrets?|passw(?:or)?ds?|credentials?)(?:\.\w{1,6})?\r?\n(?:[^\n]{0,160}\n){0,8}?[\w.@-]{1,40}:([^\s:"'\[]{6,64})(?=\s|$)`,
    { confirm: isMixed },
  ),
  // OTEL_EXPORTER_OTLP_HEADERS="x-team=…,x-dataset=web"
  place("_HEADERS=", String.raw`_HEADERS=${QUOTE}(?:[^\s"']{0,200}?,)?[\w-]{2,40}=([^\s"',%]{16,200})`, {
    kind: "api-key",
    confirm: isStrongKey,
  }),
  place("omb-team", String.raw`(?<=x-honeyc)omb-team["']?(?:[=,]|: ?|, ?)["']?(\w{20,64})`, {
    kind: "honeycomb-key",
  }),
  // Terraform: the result of a random_password, in a plan and in the state
  place(
    "random_password",
    String.raw`random_password["'.][^]{0,400}?[\s"']result"?\s{0,8}[=:] ?"([^"\n]{6,128})"`,
  ),
  // Server=…;Uid=…;Password=…;
  ...["assword=", "ASSWORD=", "wd=", "WD="].map((sign) =>
    place(
      sign,
      String.raw`(?<=${CONNECTION}[pP])${sign}((?:&(?:amp|lt|gt|apos|quot);|[^;"'\s&\\]|&){4,128})(?=[;"'\s\\]|$)`,
      { confirm: isOfConnection },
    ),
  ),
  // rclone: the lines account = … and key = …
  place(
    "key = ",
    String.raw`(?<=(?:account|user|username|key_id) = \S{1,80}\r?\n[ \t]{0,8})key = ([^\s"']{16,128})(?=\s|$)`,
    { kind: "api-key", confirm: isStrongKey },
  ),
];
