/** Words as they come in logs of coding agents: few very often, most rarely (Zipf), names of code among them. */
export interface WordSource {
  word(): string;
  prose(words: number): string;
  code(lines: number): string;
  path(): string;
  identifier(): string;
}

const COMMON = (
  "the to a of and in is it that for this with be on not are as we have from can should will test file add run error " +
  "code function use make sure check then now let need change new line when return value type string update fix build"
).split(" ");
const STEMS =
  "token auth refresh retry session cache index search parse stream buffer queue worker client server route handler query schema migrate deploy render layout config module package branch merge commit diff patch order price cart user login cookie header proxy socket timer clock date zone locale invoice export import archive".split(
    " ",
  );
const SYLLABLES =
  "ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu bra cle dri flo gru pla ste tri".split(" ");
const EXTENSIONS = ["ts", "tsx", "py", "rs", "go", "md", "json", "sql"];

/**
 * How many different ones there are. Each is drawn as often as its place in the list says (Zipf), and now and then one
 * of a far longer list: so the vocabulary grows with the logs as that of real ones does, which have 53,000 terms in
 * 292 MB and by the way they grow would have 110,000 in 1 GB; these have 94,000.
 */
const RARE_WORDS = 12_000;
const FILES = 6_000;
const IDENTIFIERS = 10_000;
const ALL_IDENTIFIERS = 400_000;
const UNCOMMON = 0.14;

export function createWords(random: () => number): WordSource {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const ranked = (count: number): number => Math.floor(count ** random()) - 1;
  const word = (): string => {
    const kind = random();
    return kind < 0.55 ? pick(COMMON) : kind < 0.8 ? pick(STEMS) : syllables(ranked(RARE_WORDS));
  };
  const identifier = (): string => identifierAt(ranked(random() < UNCOMMON ? ALL_IDENTIFIERS : IDENTIFIERS));
  const path = (): string => pathAt(ranked(FILES));
  const prose = (words: number): string => {
    const parts: string[] = [];
    for (let i = 0; i < words; i++) {
      const kind = random();
      if (kind < 0.04) parts.push(`\`${identifier()}\``);
      else if (kind < 0.06) parts.push(path());
      else if (kind < 0.07) parts.push(`"${word()} ${word()}"`);
      else if (kind < 0.075) parts.push(pick(SIGNS));
      else parts.push(word());
    }
    return `${capital(parts.join(" "))}.`;
  };
  const statement = (): string => {
    const kind = random();
    if (kind < 0.15) return `throw new Error("${word()} ${word()} ${identifier()}");`;
    if (kind < 0.25) return `import { ${identifier()} } from "${path()}";`;
    if (kind < 0.35) return `// ${word()} ${random() < 0.04 ? pick(SIGNS) : word()} ${word()}`;
    return `const ${identifier()} = ${identifier()}(${word()}, ${Math.floor(random() * 1000)});`;
  };
  const code = (lines: number): string => {
    const parts: string[] = [];
    for (let i = 0; i < lines; i++) parts.push(`${"\t".repeat(Math.floor(random() * 2.4))}${statement()}`);
    return parts.join("\n");
  };
  return { word, prose, code, path, identifier };
}

const SIGNS = ["—", "→", "✓", "…", "•"];

function syllables(number: number): string {
  let rest = number;
  let word = "";
  do {
    word += SYLLABLES[rest % SYLLABLES.length];
    rest = Math.floor(rest / SYLLABLES.length);
  } while (rest > 0);
  return word;
}

function identifierAt(number: number): string {
  const first = STEMS[number % STEMS.length] ?? "";
  const second = STEMS[Math.floor(number / STEMS.length) % STEMS.length] ?? "";
  const third = Math.floor(number / STEMS.length ** 2);
  return `${first}${capital(second)}${third === 0 ? "" : capital(syllables(third))}`;
}

function pathAt(number: number): string {
  const name = number % 2 === 0 ? syllables(number) : identifierAt(number);
  return `src/${STEMS[number % STEMS.length]}/${name}.${EXTENSIONS[number % EXTENSIONS.length]}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
