/**
 * What a parser read, before anything is checked. Both parsers give this one form, so that both are
 * checked by the same code and refuse with the same words.
 */
export interface RawArguments {
  /** Every value of a flag in the order typed. `""` is a flag whose value is missing. */
  readonly flags: ReadonlyMap<string, readonly (string | boolean)[]>;
  /** Flags that are in no table, as typed, without their values. */
  readonly unknown: readonly string[];
  readonly positionals: readonly string[];
  readonly literalFrom: number;
}
