import { recoverRewrites } from "../../store/rewrite/recover-rewrites.ts";
import { finishForgetting } from "../forget-session.ts";
import type { Library } from "../library.ts";
import { recoverSidecars } from "./recover-sidecars.ts";

/** Ends what a killed run has begun. To be called first by whoever writes, with the store's lock held. */
export function recoverShrinking(library: Library): void {
  finishForgetting(library);
  recoverRewrites(library.disk, library.places.rewrites);
  recoverSidecars(library);
}
