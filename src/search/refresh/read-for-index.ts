import type { Buffer } from "node:buffer";
import type { ByteSource } from "../../agents/byte-source.ts";
import { createLogTails, type TailOptions } from "../../agents/checkpoints/log-tails.ts";
import { reasonOf } from "../../agents/isolate.ts";
import { readSession } from "../../agents/read-session.ts";
import { identifySession } from "../../archive/identify-session.ts";
import type { Library } from "../../fs/library.ts";
import { createSessionBuilder } from "../../session/session-builder.ts";
import { defaultTextLimits } from "../../session/text-budget.ts";
import { isExcluded } from "../catalogue.ts";
import type { IndexedSession } from "../engine.ts";
import { earlierStates } from "./earlier-states.ts";
import { indexSession } from "./index-session.ts";
import { sessionSchema } from "./open-engine.ts";
import type { SessionToRead } from "./plan-refresh.ts";
import type { SessionRow } from "./session-row.ts";
import { sumSeed } from "./sum-seed.ts";

/**
 * Reads a session and makes of it what the index keeps; undefined where it is none, or is not to be read. One that
 * makes the program stumble is kept by its name alone, with the reason among its problems.
 */
export function readForIndex(
  library: Pick<Library, "config" | "disk" | "places">,
  session: SessionToRead,
  given: ByteSource,
  isCopy: (row: SessionRow) => boolean,
  mask: (text: string) => string,
  tails?: TailOptions,
): IndexedSession | undefined {
  try {
    return read(library, session, given, isCopy, mask, tails);
  } catch (error) {
    return nameAlone(session, reasonOf(error));
  }
}

function nameAlone({ files, origin, mark }: SessionToRead, reason: string): IndexedSession {
  const { agent, id } = files;
  const path = files.files[0]?.path ?? "";
  const facts = { id, project: null, branch: null, version: null, firstAt: null, lastAt: null };
  const problems = [{ path, line: 0, what: `cannot be indexed: ${reason}` }];
  const session = createSessionBuilder("last-entry").finish({ agent, id, facts, lines: 0, problems });
  return indexSession(session, files, { origin, mark, isCopy: () => false, mask: (text) => text });
}

function read(
  library: Pick<Library, "config" | "disk" | "places">,
  { files, origin, mark, source: archived }: SessionToRead,
  given: ByteSource,
  isCopy: (row: SessionRow) => boolean,
  mask: (text: string) => string,
  tails?: TailOptions,
): IndexedSession | undefined {
  const source = withHeadOnce(given);
  const identified = identifySession(source, files);
  if (identified === undefined) return undefined;
  const limits = {
    ...defaultTextLimits,
    outputChars: library.config.index.outputChars,
    inputChars: 0,
    thinkingChars: 0,
  };
  const kept =
    tails === undefined || archived !== undefined
      ? undefined
      : createLogTails(library, limits, sessionSchema.analysisVersion, tails);
  const session = readSession(source, identified, limits, kept);
  if (isExcluded(library, session)) return undefined;
  const earlier = earlierStates(library, identified, limits);
  const seed = sumSeed(source, identified, library.config.redact);
  return indexSession(session, identified, { origin, mark, isCopy, mask, earlier, seed });
}

/** Whose log it is and what its sums begin with are two questions about one head: it is read once. */
function withHeadOnce(source: ByteSource): ByteSource {
  let known: { readonly path: string; readonly head: Buffer } | undefined;
  return {
    ...source,
    head: (path, from = 0) => {
      if (from > 0) return source.head(path, from);
      if (known?.path !== path) known = { path, head: source.head(path) };
      return known.head;
    },
  };
}
