import { holdsUserAndPassword } from "./find-headers.ts";
import { isSeedPhrase } from "./find-phrases.ts";
import { ARGUMENT, COMMA, isMixed, isStrong, PASSWORD_STRING, type Place, place, STRING } from "./place.ts";
import { isStrongKey, looksRandom } from "./randomness.ts";

/** Secrets among the arguments of calls. */
export const callPlaces: readonly Place[] = [
  // With a user and a password: HTTPBasicAuth, request.auth, smtp.login, NetworkCredential
  place(
    "uth(",
    String.raw`(?<!PlainA)uth\(\s{0,8}(?:${STRING}|(?<=(?:[bB]asic|[dD]igest|N[tT][lL][mM])_?[aA]uth\(\s{0,8})[\w.$>-]{1,60})${COMMA}${PASSWORD_STRING}\s{0,8}[,)]`,
  ),
  place("basic(", String.raw`(?<=[aA]uth\w{0,8}\.)basic\(\s{0,8}${ARGUMENT}${COMMA}${PASSWORD_STRING}`),
  place(
    "dAuthentication(",
    String.raw`(?<=[pP]asswor)dAuthentication\(\s{0,8}${ARGUMENT}${COMMA}${PASSWORD_STRING}`,
  ),
  place("Authenticate(", String.raw`Authenticate\(\s{0,8}${ARGUMENT},\s{0,8}${PASSWORD_STRING}\s{0,8}[,)]`, {
    confirm: isMixed,
  }),
  place("SMTP(", String.raw`SMTP\(\s{0,8}["'][^"'\n@]{1,60}@[^"'\n]{1,60}["'],\s{0,8}${PASSWORD_STRING}`),
  // After an identity or an address: smtp.PlainAuth, gomail.NewDialer, SftpClient
  ...["nAuth(", "nClient("].map((sign) =>
    place(
      sign,
      String.raw`(?<=Plai)${sign.replace("(", "\\(")}\s{0,8}${ARGUMENT},\s{0,8}${ARGUMENT},\s{0,8}${PASSWORD_STRING}`,
    ),
  ),
  ...["FTP(", "FTP_TLS("].map((sign) =>
    place(
      sign,
      String.raw`${sign.replace("(", "\\(")}\s{0,8}${ARGUMENT},\s{0,8}${STRING},\s{0,8}${PASSWORD_STRING}`,
    ),
  ),
  place(
    "Client(",
    String.raw`(?<=S(?:sh|SH|ftp|FTP|cp|CP|mtp|MTP)|F(?:tp|TP)|I(?:map|MAP))Client\(\s{0,8}${ARGUMENT},\s{0,8}(?:\d{2,5},\s{0,8})?${ARGUMENT},\s{0,8}${PASSWORD_STRING}`,
  ),
  ...["wDialer(", "wPlainDialer("].map((sign) =>
    place(
      sign,
      String.raw`${sign.replace("(", "\\(")}\s{0,8}${ARGUMENT},\s{0,8}\d{2,5},\s{0,8}${ARGUMENT},\s{0,8}${PASSWORD_STRING}`,
      { confirm: isMixed },
    ),
  ),
  // bind("cn=…", "…"), simple_bind_s, ldap_bind: a name of LDAP and its password
  ...["bind", "Bind("].map((sign) =>
    place(
      sign,
      String.raw`[bB]ind(?:_s)?\(\s{0,8}(?:[$\w>.-]{1,40},\s{0,8})?["']\w{1,20}=[^"'\n]{1,160}["'],\s{0,8}${PASSWORD_STRING}`,
    ),
  ),
  // Oracle: connect("user", "…", "host"), connect("user/…@host")
  place(
    "connect(",
    String.raw`(?<=oci_p?|racle(?:db)?\.)connect\(\s{0,8}(?:${ARGUMENT},\s{0,8}${PASSWORD_STRING}|["'][\w.]{1,40}/([^"'@/\n]{4,80})@)`,
  ),
  // user:…@tcp(host:3306)
  place("@tcp(", String.raw`(?<=(?:^|[\s"'\x60=])[\w.-]{1,40}:([^\s"'\x60@]{4,128}))@tcp\(`),
  // The password of a key store: load(in, "…".toCharArray())
  place(
    "oCharArray()",
    String.raw`(?<=(?:load|init|PBEKeySpec|getKey|setKeyEntry|PasswordProtection)\([^;\n]{0,120}"([^"\n]{4,128})"\.t)oCharArray\(\)`,
    { confirm: isMixed },
  ),
  place(
    "login(",
    String.raw`login\(\s{0,8}(?:\$\w{1,40},\s{0,8})?${STRING}${COMMA}${PASSWORD_STRING}\s{0,8}\)`,
  ),
  // Also of MongoDB, createCredential(user, base, "…"), and in Rust, Credentials::new(user, "…")
  place(
    "Credential",
    String.raw`(?:(?<!create\w{0,20})Credentials?\(\s{0,8}${STRING}${COMMA}|(?<=create\w{0,20})Credential\(\s{0,8}${ARGUMENT},\s{0,8}${ARGUMENT},\s{0,8}|Credentials::new\([^,\n]{1,120},\s{0,8}(?:String::from\()?)${PASSWORD_STRING}`,
  ),
  // With a place, a user and a password: PDO, mysqli, JDBC
  place("PDO(", String.raw`PDO\([^,\n]{1,200},\s{0,8}${STRING},\s{0,8}${PASSWORD_STRING}`),
  place("mysqli", String.raw`mysqli(?:_connect)?\(${STRING},\s{0,8}${STRING},\s{0,8}${PASSWORD_STRING}`),
  place("Connection(", String.raw`Connection\([^,\n]{1,200},\s{0,8}${STRING},\s{0,8}${PASSWORD_STRING}`),
  place(
    "connect(",
    String.raw`connect\([^,\n]{1,200},\s{0,8}(?:\d{2,5},\s{0,8})?${STRING},\s{0,8}${PASSWORD_STRING}`,
    {
      confirm: isMixed,
    },
  ),
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
    "KeyToAccount(",
    "fromSecretKey(",
    "vateKey(",
    "fromWIF(",
  ].map((sign) =>
    place(
      sign,
      String.raw`${sign.replace(/[.(]/g, "\\$&")}(?:[^"'\n;]|["'](?:(?!https?:|\[masked)[^"'\n]{0,14}|(?:https?:|\[masked)[^"'\n]{0,100})["']){0,120}?b?["'](?:0x)?((?!https?:|\[masked|(?:aes|sha|des|rsa|chacha|bf|id)[-\d])[^"'\n\s]{8,200})["']`,
      { kind: "secret", confirm: isStrong },
    ),
  ),
  place("_key(", String.raw`(?<=ccount\.from)_key\(\s{0,8}["'](?:0x)?([0-9a-fA-F]{64})["']`, {
    kind: "private-key",
  }),
  // new NewsAPI("…"), but not fetchAPI("…")
  ...["API(", "Api("].map((sign) =>
    place(
      sign,
      String.raw`(?<=(?:new |= ?)(?:[a-z_]{1,20}\.)?(?:[A-Z]\w{0,30})?)${sign.replace("(", "\\(")}\s{0,8}["']([\w+=-][\w.+/=-]{23,199})["']`,
      { kind: "api-key", confirm: isStrongKey },
    ),
  ),
  // With a key alone, or after an id: new TelegramBot('…'), cohere.ClientV2("…"), algoliasearch("id", "…"). Of
  // Deepgram, AssemblyAI and apiConnect the sign is the end, which has rarer letters.
  ...[
    "ClientV2(",
    "Bot(",
    "login(",
    "Mistral(",
    "epgram(",
    "mblyAI(",
    "algoliasearch(",
    "piConnect(",
    "earer_auth(",
  ].map((sign) =>
    place(
      sign,
      String.raw`${sign.replace("(", "\\(")}\s{0,8}(?:${STRING},\s{0,8})?["']([\w+=-][\w.+/=-]{23,199})["']\s{0,8}[,)]`,
      { kind: "api-key", confirm: isStrongKey },
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
  ...["Provider(", "Phrase(", "nemonic(", "ToSeed(", "ToSeedSync(", "Mnemonic(", "nemonicToAccount("].map(
    (sign) =>
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

/** A key of Azure: `before` characters of the alphabet, a mark, and what follows it. */
function markedKey(mark: string, alphabet: string, before: number, after: string): Place {
  const key = `${mark.replace("+", "\\+")}${after}`;
  return place(mark, `${key}(?<=(?<![${alphabet}])([${alphabet}]{${before}}${key}))(?![${alphabet}=])`, {
    kind: "azure-key",
    confirm: () => true,
  });
}

const BASE62 = "A-Za-z0-9";
const BASE64 = "A-Za-z0-9+/";

/** Secrets in XML, JSON and other records. */
export const recordPlaces: readonly Place[] = [
  // Keys of Azure, which have a mark of their service at a fixed place
  markedKey("JQQJ9", BASE62, 52, `[${BASE62}]{27}(?:[${BASE62}]{2}==)?`),
  markedKey("AZDO", BASE62, 76, `[${BASE62}]{4}`),
  markedKey("AzSe", BASE62, 42, `[A-D][${BASE62}]{5}`),
  markedKey("AzCa", BASE62, 33, `[A-P][${BASE62}]{5}=`),
  markedKey("AzFu", "\\w-", 44, "[\\w-]{5}[AQgw]=="),
  markedKey("+ACR", BASE64, 42, `[A-D][${BASE64}]{5}`),
  ...["APIM", "+ABa", "+AMC", "+ASt"].map((mark) => markedKey(mark, BASE64, 76, `[${BASE64}]{5}[AQgw]==`)),
  ...["+ASb", "+AEh", "+ARm"].map((mark) => markedKey(mark, BASE64, 33, `[A-P][${BASE64}]{5}=`)),
  // The two keys of a service of Azure, of the older form
  place(
    '"key1"',
    String.raw`(?<=\{\s{0,20})"key1": ?"([A-Za-z0-9+/]{32,88}={0,2})",\s{0,20}"key2": ?[\w"+/=]{1,92}\s{0,20}\}`,
    {
      kind: "azure-key",
      confirm: isStrongKey,
    },
  ),
  place(
    '"key2"',
    String.raw`(?<=\{\s{0,20}"key1": ?"[^"\n]{1,100}",\s{0,20})"key2": ?"([A-Za-z0-9+/]{32,88}={0,2})"\s{0,20}\}`,
    {
      kind: "azure-key",
      confirm: isStrongKey,
    },
  ),
  place('yKey"', String.raw`(?<="primar)yKey": ?"([A-Za-z0-9+/]{32,88}={0,2})",\s{0,20}"secondary`, {
    kind: "azure-key",
    confirm: isStrongKey,
  }),
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
