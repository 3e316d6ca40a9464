/*
 * Bundles import this instead of node:crypto (`alias` in build.mjs). Loading that takes a tenth of a search, which
 * hardly ever needs it, so the first call does it. A name that is missing here fails the build.
 */
import { getBuiltinModule } from "node:process";

type Crypto = typeof import("node:crypto");
type Name = "createCipheriv" | "createDecipheriv" | "createHash" | "randomBytes";

const late = <N extends Name>(name: N): Crypto[N] => {
  const call = (...args: readonly unknown[]): unknown =>
    Reflect.apply(getBuiltinModule("node:crypto")[name], undefined, args);
  return call as Crypto[N];
};

export const createCipheriv: Crypto["createCipheriv"] = late("createCipheriv");
export const createDecipheriv: Crypto["createDecipheriv"] = late("createDecipheriv");
export const createHash: Crypto["createHash"] = late("createHash");
export const randomBytes: Crypto["randomBytes"] = late("randomBytes");
