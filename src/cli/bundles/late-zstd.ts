/*
 * Bundles import this instead of fzstd (`alias` in build.mjs), which has a separate file beside them: packed logs are
 * rare, so commands load it only when needed.
 */
type Zstd = typeof import("fzstd");

/** Called with `new`: returns the unpacker. */
function makeDecompress(...args: ConstructorParameters<Zstd["Decompress"]>): object {
  const zstd: Zstd = require("./zstd.cjs");
  return new zstd.Decompress(...args);
}

export const Decompress = makeDecompress as unknown as Zstd["Decompress"];
