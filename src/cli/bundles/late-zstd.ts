/*
 * Bundles import this in place of fzstd (`alias` in build.mjs), which has a file of its own beside them: packed logs are
 * rare, and no command should load it for nothing.
 */
type Zstd = typeof import("fzstd");

/** Called with `new`: returns what unpacks. */
function makeDecompress(...args: ConstructorParameters<Zstd["Decompress"]>): object {
  const zstd: Zstd = require("./zstd.cjs");
  return new zstd.Decompress(...args);
}

export const Decompress = makeDecompress as unknown as Zstd["Decompress"];
