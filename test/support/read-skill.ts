/** A call of the program that a skill's text shows. */
export interface SkillCall {
  readonly line: string;
  readonly words: readonly string[];
  /** It stands in a block of its own. */
  readonly isMain: boolean;
}

export interface ReadSkill {
  /** Of the front matter. */
  readonly fields: ReadonlyMap<string, string>;
  readonly body: string;
  readonly calls: readonly SkillCall[];
  /** What it says can be added to a query. */
  readonly terms: readonly string[];
}

/** Reads a SKILL.md as an agent would: what it is for, and which calls it shows. */
export function readSkill(text: string): ReadSkill {
  const match = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(text);
  if (match === null) throw new Error("the skill has no front matter");
  const [, front = "", body = ""] = match;
  const fields = new Map(
    front.split("\n").map((line) => {
      const field = /^([a-z-]+): (\S.*)$/.exec(line);
      // What needs more of YAML than this, some agent will read otherwise.
      if (field === null || /^[[{&*!|>%@`"']/.test(field[2] ?? "") || /: | #/.test(field[2] ?? "")) {
        throw new Error(`the front matter has a line that is not plain: ${line}`);
      }
      return [field[1] ?? "", field[2] ?? ""] as const;
    }),
  );
  const blocks = [...body.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = ""]) =>
    block
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== ""),
  );
  const inline = [...body.replace(/```[\s\S]*?```/g, "").matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);
  const call =
    (isMain: boolean) =>
    (line: string): SkillCall => ({ line, words: shellWords(line), isMain });
  return {
    fields,
    body,
    calls: [
      ...blocks.map(call(true)),
      ...inline.filter((code) => code.startsWith("sessions ")).map(call(false)),
    ],
    terms: inline.filter((code) => /^(?:-\w+|\w+\*|[a-z]+:\S+)$/.test(code)),
  };
}

function shellWords(line: string): readonly string[] {
  return [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, bare]) => single ?? double ?? bare ?? "",
  );
}
