import { isOpenTitle, isRecommendation } from "./open-titles.ts";
import { type OutlineLine, outlineOf } from "./reply-outline.ts";
import { sentences } from "./sentences.ts";

/** An item that a reply leaves open: a step that is still to be done or was offered, or a question to the user. */
export interface OpenEnd {
  readonly text: string;
  readonly source: "next" | "question";
}

/** Lists the open work in the last reply of a session: under titles that say so, and in its closing words. */
export function openEndsOf(reply: string): readonly OpenEnd[] {
  const outline = outlineOf(reply);
  const questions = closingQuestions(outline);
  return [
    ...titledSteps(outline, questions.length > 0),
    ...labelledSteps(outline),
    ...closingOffers(outline),
    ...questions,
  ];
}

/**
 * Items of lists under titles of open work, or else the first paragraph below such a title. Nested items only add
 * details. Recommendations count as open if the reply also asks whether to carry them out.
 */
function titledSteps(outline: readonly OutlineLine[], isAsking: boolean): readonly OpenEnd[] {
  const isOpen = (title: string): boolean => isOpenTitle(title) || (isAsking && isRecommendation(title));
  return outline
    .filter(({ titles }) => titles.some(isOpen))
    .filter((line) => (line.kind === "item" ? !line.isNested : startsSection(outline, line)))
    .reduce<readonly string[]>(withAlternative, [])
    .flatMap(openStep);
}

/** "Or define an interface" is another way to do the item before it. */
function withAlternative(items: readonly string[], { text }: OutlineLine): readonly string[] {
  const before = items.at(-1);
  if (before === undefined || !/^(?:or|alternatively)\b/i.test(text)) return [...items, text];
  return [...items.slice(0, -1), `${before} / ${text}`];
}

/** Whether it is in the first paragraph of a section without a list. */
function startsSection(outline: readonly OutlineLine[], { section, paragraph }: OutlineLine): boolean {
  return outline
    .filter((line) => line.section === section)
    .every((line) => line.kind === "text" && line.paragraph >= paragraph);
}

const LABELLED = /^([^:\uff1a]{2,40})[:\uff1a]\s+(\S.*)$/;

/** `Next: add the tests`: a title and its text on one line. */
function labelledSteps(outline: readonly OutlineLine[]): readonly OpenEnd[] {
  return outline.flatMap(({ text, titles }) => {
    const [, label = "", step = ""] = LABELLED.exec(text) ?? [];
    return step === "" || !isOpenTitle(label) || titles.some(isOpenTitle) ? [] : openStep(step);
  });
}

const DONE_MARK = /^(?:\[x\]|[\u2705\u2714\u2611]|~~)/i;
const NOTHING = /^(?:none|nothing|n\/a|no|not (?:applicable|needed|required)|done|complete)\b/i;

/** Statements that something is fine: "PR is in clean merge state". */
const IS_FINE =
  /^(?:the |this |all )?[\p{L}\p{N}#`-]+(?: [\p{L}\p{N}#`-]+){0,2} (?:is|are) (?:now |all |already |in (?:a )?)*(?:clean|up[- ]to[- ]date|complete|completed|done|fixed|green|healthy|merged|mergeable|passing|resolved|working)\b(?!.*\b(?:but|except|if|once|until|when)\b)/iu;

/** Turns an item into a step, unless it is done or says that there is nothing to do. */
function openStep(item: string): readonly OpenEnd[] {
  // Without an empty check box, and without the colon before a list of details. The lookbehind keeps a long run from
  // being tried at each of its characters.
  const text = item.replace(/^\[ \]\s+/, "").replace(/(?<!\s)\s*[:\uff1a]$/, "");
  if (!/\p{L}{2}/u.test(text) || DONE_MARK.test(text) || NOTHING.test(text) || IS_FINE.test(text)) return [];
  return [{ text, source: isQuestion(text) ? "question" : "next" }];
}

/** Offers of agents: "Want me to commit this?" */
const OFFER =
  /\b(?:want me to|(?:would|do) you (?:like|want) me to|(?:shall|should) (?:i|we)|may i|ready (?:to|for me to)|ok(?:ay)? (?:to|if i)|can i (?:go ahead|proceed))\b/i;
/** A question followed by other words is meant for the user if it addresses the user. */
const TO_USER = /\b(?:you|your|which|prefer|shall|should)\b/i;
/** Questions without a particular request. */
const SMALL_TALK =
  /\b(?:what (?:else )?(?:would|do) you (?:like|want)(?: me)? to (?:do|work on|focus on|tackle|explore|know|see)|(?:how|what) (?:can|may) i (?:help|do for|assist)|anything else|any (?:other |further )?questions|(?:does|did) (?:that|this|it) (?:help|make sense|answer|clarify|look)|make sense|what(?:'s| is) next|sound good|what more (?:could|can|would|does)|who could (?:ask|want|wish))\b/i;

/** The last lines of a reply are its closing words. */
const CLOSING_LINES = 4;

function closingWords(outline: readonly OutlineLine[]): readonly OutlineLine[] {
  return outline.slice(-CLOSING_LINES).filter(({ titles }) => !titles.some(isOpenTitle));
}

/** Longer texts are not sentences, and the patterns for offers would be slow on them. */
const SENTENCE_CHARS = 1_000;

function sentencesOf({ text }: OutlineLine): readonly string[] {
  return [...sentences(text)].filter((sentence) => sentence.length <= SENTENCE_CHARS);
}

/** Questions in the closing words: the last sentence, or an earlier one that addresses the user. */
function closingQuestions(outline: readonly OutlineLine[]): readonly OpenEnd[] {
  const withOptions = questionWithOptions(outline);
  const asked = closingWords(outline)
    .filter(({ kind }) => kind === "text")
    .flatMap((line) => {
      const all = sentencesOf(line);
      const isInLastParagraph = line.paragraph === outline.at(-1)?.paragraph;
      return all.filter((sentence, at) => {
        if (!isQuestion(sentence) || SMALL_TALK.test(sentence)) return false;
        const isLast = line === outline.at(-1) && all.slice(at).every(isQuestion);
        return isLast || OFFER.test(sentence) || (isInLastParagraph && TO_USER.test(sentence));
      });
    })
    .map(asOpenEnd);
  return [...withOptions, ...asked];
}

/** "Would you like me to:" and a list of options are one question. */
function questionWithOptions(outline: readonly OutlineLine[]): readonly OpenEnd[] {
  const lead = closingWords(outline)
    .findLast(({ kind }) => kind === "item")
    ?.titles.at(-1);
  if (lead === undefined || !(OFFER.test(lead) || (isQuestion(lead) && TO_USER.test(lead)))) return [];
  const options = outline.filter(
    ({ kind, titles, isNested }) => kind === "item" && !isNested && titles.at(-1) === lead,
  );
  const question = [...sentences(lead)].at(-1) ?? lead;
  return [{ text: `${question} ${options.map(({ text }) => text).join(" / ")}`, source: "question" }];
}

function isQuestion(sentence: string): boolean {
  return /[?\uff1f]["')*_]*$/.test(sentence);
}

/** An offer waits for a yes and is a next step; a choice, or a request for information, is a question. */
function asOpenEnd(question: string): OpenEnd {
  const isChoice = /\b(?:or|which|what|how|who|where)\b/i.test(question);
  return { text: question, source: OFFER.test(question) && !isChoice ? "next" : "question" };
}

/** Offers that are not questions, and steps that are left to the user. */
const OFFERED: readonly RegExp[] = [
  /\b(?:i can|i could|i'll|happy to|glad to)\b.*\bif you(?:'d| would)? (?:like|want|prefer|wish)\b/i,
  /\bif you(?:'d| would)? (?:like|want|prefer|wish)\b.*\b(?:i can|i could|i'll|i'd)\b/i,
  /\bready (?:to|for) (?:commit|push|merge|submit|deploy|land|ship)/i,
  /\b(?:still (?:needs?|has|have) to|still missing|remains to be|needs further)\b/i,
];

function closingOffers(outline: readonly OutlineLine[]): readonly OpenEnd[] {
  return closingWords(outline).flatMap((line) =>
    sentencesOf(line)
      .filter((sentence) => !isQuestion(sentence) && OFFERED.some((offer) => offer.test(sentence)))
      .map((sentence) => ({ text: sentence, source: "next" as const })),
  );
}
