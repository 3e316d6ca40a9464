const stopWords: ReadonlySet<string> = new Set(
  `
a about above after again against all also am an and any are arent as at be because been before being below
between both but by can cannot cant could couldnt did didnt do does doesnt doing dont down during each few for
from further had hadnt has hasnt have havent having he her here hers herself him himself his how i if in into
is isnt it its itself just lets me might more most must my myself no nor not now of off on once only or other
our ours ourselves out over own please same shall she should shouldnt so some such than that thats the their
theirs them themselves then there theres these they this those through to too under until up us very was wasnt
we were werent what when where which while who whom whose why will with wont would wouldnt you your yours
yourself yourselves`
    .trim()
    .split(/\s+/),
);

export function isStopWord(term: string): boolean {
  return stopWords.has(term);
}

/** A single letter, or a number of up to four digits (a line number, mostly); 007 is neither. */
const singleLetterOrShortNumber = /^(?:[a-z]|0|[1-9]\d{0,3})$/;

/**
 * Whether a term says little about a text, however often it occurs there. A text counts such a term once, so that it
 * can be found but has little weight and cost. If these were left out, a search for nothing but such words ("to be or
 * not to be", 404) would be impossible.
 */
export function isWeak(term: string): boolean {
  return stopWords.has(term) || (term.length <= 4 && singleLetterOrShortNumber.test(term));
}
