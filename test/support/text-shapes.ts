import { alphabets, type SeededRandom } from "./seeded-random.ts";

const { base36, base62, base64, base64url, digits, hex } = alphabets;

const WORDS = [
  "winter",
  "tiger",
  "monsoon",
  "velvet",
  "copper",
  "harbour",
  "falcon",
  "biscuit",
  "lantern",
  "meadow",
  "saffron",
  "thunder",
  "pickle",
  "walnut",
  "glacier",
  "orbit",
  "puzzle",
  "raven",
  "summit",
  "bamboo",
] as const;
const PLAIN_SIGNS = "!*_-.";
const SIGNS = "!#%*+-_.^~";

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** Passwords as people make them up. `plain` leaves out what a URL or a shell would read as something else. */
function human(random: SeededRandom, signs: string): string {
  const word = random.pick(WORDS);
  switch (random.int(5)) {
    case 0:
      return `${capital(word)}${2015 + random.int(12)}!`;
    case 1:
      return `${word}-${random.pick(WORDS)}-${10 + random.int(90)}`;
    case 2:
      return `${capital(word).replace(/[aeio]/, (vowel) => ({ a: "4", e: "3", i: "1", o: "0" })[vowel] ?? vowel)}${random.chars(1, signs)}${random.chars(3, digits)}`;
    case 3:
      return `${random.chars(1, "BCDFGHKMPRT")}${random.chars(6, base62)}${random.chars(3, digits)}${random.chars(2, "xyzkw")}`;
    default:
      return `${word}${10 + random.int(9000)}`;
  }
}

function strong(random: SeededRandom, signs: string): string {
  const middle = Array.from({ length: 12 + random.int(7) }, () => random.chars(1, base62 + signs)).join("");
  return `${random.chars(1, alphabets.letters)}${random.chars(1, digits)}${middle}${random.chars(1, base62)}`;
}

const encode = (text: string): string => Buffer.from(text).toString("base64");
const bytes = (random: SeededRandom, count: number): Buffer =>
  Buffer.from(Array.from({ length: count }, () => random.int(256)));

const named: Readonly<Record<string, (random: SeededRandom) => string>> = {
  uuid: (r) =>
    `${r.chars(8, hex)}-${r.chars(4, hex)}-4${r.chars(3, hex)}-${r.chars(1, "89ab")}${r.chars(3, hex)}-${r.chars(12, hex)}`,
  human: (r) => human(r, SIGNS),
  "human-plain": (r) => human(r, PLAIN_SIGNS),
  strong: (r) => strong(r, SIGNS),
  "strong-plain": (r) => strong(r, PLAIN_SIGNS),
  word: (r) => r.pick(WORDS) + r.pick(WORDS),
  "seed-words": (r) => Array.from({ length: 12 }, () => r.pick(WORDS).slice(0, 8)).join(" "),
  "base64-of-human": (r) => encode(human(r, SIGNS)),
  "base64-userpass": (r) => encode(`${r.pick(WORDS)}:${strong(r, SIGNS)}`),
  "base64-40": (r) => `${r.chars(19, base64)}${r.chars(1, "/+")}${r.chars(20, base64)}`,
  "base64-44": (r) => bytes(r, 32).toString("base64"),
  "base64-88": (r) => bytes(r, 64).toString("base64"),
  "base64-long": (r) => `IQoJb3JpZ2lu${bytes(r, 300).toString("base64")}`,
  "base64url-long": (r) => r.chars(120 + r.int(80), base64url.slice(0, -2)),
  "base64-percent": (r) => encodeURIComponent(bytes(r, 32).toString("base64")),
  "azure-34": (r) => `${r.chars(3, base62)}8Q~${r.chars(33, `${base62}_~.-`)}x`,
  "django-key": (r) => `django-insecure-a${r.chars(49, `${base36}!@#%^&*-_=+`)}`,
  "base36-16-grouped": (r) => r.chars(16, base36),
  "hex-32-upper": (r) => r.chars(32, hex).toUpperCase(),
  "kube-key": (r) => `LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQ${r.chars(400, base64)}`,
  "slack-webhook": (r) =>
    `T0${r.chars(9, base36).toUpperCase()}/B0${r.chars(9, base36).toUpperCase()}/${r.chars(24, base62)}`,
  "discord-webhook": (r) => r.chars(68, base64url),
  bcrypt: (r) => `$2b$12$${r.chars(53, base62)}`,
  argon2id: (r) => `$argon2id$v=19$m=65536,t=3,p=4$${r.chars(22, base64)}$${r.chars(43, base64)}`,
  "sha512-crypt": (r) => `$6$${r.chars(16, base62)}$${r.chars(86, base62)}`,
  example: () => "EXAMPLE",
};

/** Makes up text of a named form, or of `alphabet-length[-upper]`, such as `hex-40`. */
export function makeText(shape: string, random: SeededRandom): string {
  const make = named[shape];
  if (make !== undefined) return make(random);
  const match = /^([a-z0-9]+)-(\d+)(-upper)?$/.exec(shape);
  const alphabet = Object.entries(alphabets).find(([name]) => name === match?.[1])?.[1];
  if (match === null || alphabet === undefined)
    throw new RangeError(`Cannot make text of the shape "${shape}": it is not known`);
  const text = random.chars(Number(match[2]), alphabet);
  return match[3] === undefined ? text : text.toUpperCase();
}
