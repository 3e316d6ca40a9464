/** A list of whole numbers that grows: four bytes each, where a plain list takes eight and copies more. */
export interface IntColumn {
  readonly length: number;
  push(value: number): void;
  /** `otherwise` past the end. */
  get(index: number, otherwise: number): number;
  set(index: number, value: number): void;
  /** All of them; good until the next push. */
  view(): Int32Array;
}

export function createIntColumn(): IntColumn {
  let values = new Int32Array(64);
  let length = 0;
  return {
    get length() {
      return length;
    },
    push(value) {
      if (length === values.length) {
        const grown = new Int32Array(values.length * 2);
        grown.set(values);
        values = grown;
      }
      values[length++] = value;
    },
    get: (index, otherwise) => (index < length ? (values[index] ?? otherwise) : otherwise),
    set(index, value) {
      values[index] = value;
    },
    view: () => values.subarray(0, length),
  };
}
