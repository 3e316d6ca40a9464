/** Whether a text has these words, in this order, with nothing but space between them, case aside. */
export function createPhraseTest(phrase: string): (text: string) => boolean {
  const wanted = flatten(phrase).trim();
  return (text) => flatten(text).includes(wanted);
}

/** Line breaks and runs of spaces count as one space: a phrase may be wrapped. */
function flatten(text: string): string {
  return text.normalize("NFKC").toLowerCase().replace(/\s+/g, " ");
}
