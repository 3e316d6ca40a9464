import type { SessionFiles } from "../agents/agent.ts";
import { diskSource } from "../agents/byte-source.ts";
import { readSession } from "../agents/read-session.ts";
import { logAt } from "../archive/log-identity.ts";
import type { Digest } from "../extract/digest.ts";
import { extractDigest } from "../extract/extract-digest.ts";
import { isExcluded } from "../fs/config.ts";
import type { Library } from "../fs/library.ts";
import { maskDeep } from "../redact/mask.ts";
import { createRedactor } from "../redact/redact.ts";
import { sessionPointers } from "../search/session-pointers.ts";
import { defaultTextLimits } from "../session/text-budget.ts";

/** The session of a log, or the newest one of a folder. */
export type RecallOf = { readonly log: string } | { readonly folder: string; readonly except?: string };

/** Reads the digest of a session from its log, with secrets masked. */
export function recallDigest(library: Library, of: RecallOf): Digest | undefined {
  const files = "log" in of ? logAt(library, of.log) : newestIn(library, of.folder, of.except);
  if (files === undefined) return undefined;
  // Output and thinking are not recalled; leaving them out saves memory.
  const limits = { ...defaultTextLimits, outputChars: 0, inputChars: 0, thinkingChars: 0 };
  const session = readSession(diskSource(library.disk), files, limits);
  if (isExcluded(library, session)) return undefined;
  const { redact } = createRedactor({ extra: library.config.redact });
  return maskDeep(extractDigest(session), redact);
}

function newestIn(library: Library, folder: string, except: string | undefined): SessionFiles | undefined {
  const pointers = sessionPointers(library);
  return pointers
    .newestFirst()
    .find(
      (pointer) =>
        pointer.kept === undefined &&
        pointer.files.files[0]?.path !== except &&
        pointers.projectOf(pointer) === folder,
    )?.files;
}
