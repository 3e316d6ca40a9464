/** Replaces node:buffer in the browser (build.mjs): the one call that the analysis makes, copying a text as UTF-16. */
export const Buffer = {
  from: (bytes: ArrayBuffer): { write(text: string, encoding: "utf16le"): number } => ({
    write(text) {
      const units = new Uint16Array(bytes);
      const length = Math.min(units.length, text.length);
      for (let i = 0; i < length; i++) units[i] = text.charCodeAt(i);
      return length * 2;
    },
  }),
};
