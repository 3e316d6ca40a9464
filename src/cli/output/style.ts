/** A few styles that every terminal of 16 colours has and that read on light and on dark grounds alike. */
export interface Style {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly underline: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly cyan: (text: string) => string;
  /** Where a search matched. */
  readonly match: (text: string) => string;
}

/** With `on` false every style leaves its text alone, so that callers need not ask. */
export function createStyle(on: boolean): Style {
  const paint = (open: string, close: string) => (text: string) =>
    on && text !== "" ? `\x1b[${open}m${text}\x1b[${close}m` : text;
  return {
    bold: paint("1", "22"),
    dim: paint("2", "22"),
    underline: paint("4", "24"),
    red: paint("31", "39"),
    green: paint("32", "39"),
    yellow: paint("33", "39"),
    cyan: paint("36", "39"),
    match: paint("1;33", "22;39"),
  };
}
