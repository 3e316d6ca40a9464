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

/** Rare words are made of syllables, so that the vocabulary grows with the log as a real one does. */
const RARE_WORDS = 60_000;

export function createWords(random: () => number): WordSource {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const rare = (): string => {
    // Squared twice: low numbers, and so the same words, come much more often.
    let number = Math.floor(random() ** 4 * RARE_WORDS);
    let word = "";
    do {
      word += SYLLABLES[number % SYLLABLES.length];
      number = Math.floor(number / SYLLABLES.length);
    } while (number > 0);
    return word;
  };
  const word = (): string => {
    const kind = random();
    return kind < 0.55 ? pick(COMMON) : kind < 0.8 ? pick(STEMS) : rare();
  };
  const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
  const identifier = (): string =>
    `${pick(STEMS)}${capital(pick(STEMS))}${random() < 0.3 ? capital(rare()) : ""}`;
  const path = (): string =>
    `src/${pick(STEMS)}/${random() < 0.5 ? rare() : identifier()}.${pick(EXTENSIONS)}`;
  const prose = (words: number): string => {
    const parts: string[] = [];
    for (let i = 0; i < words; i++)
      parts.push(random() < 0.04 ? `\`${identifier()}\`` : random() < 0.02 ? path() : word());
    return `${capital(parts.join(" "))}.`;
  };
  const code = (lines: number): string => {
    const parts: string[] = [];
    for (let i = 0; i < lines; i++)
      parts.push(
        `${" ".repeat(2 * Math.floor(random() * 4))}const ${identifier()} = ${identifier()}(${word()}, ${Math.floor(random() * 1000)});`,
      );
    return parts.join("\n");
  };
  return { word, prose, code, path, identifier };
}
