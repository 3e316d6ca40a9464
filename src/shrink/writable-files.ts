import type { LogFiles } from "../agents/agent.ts";
import { diskSource } from "../agents/byte-source.ts";
import { identifySession } from "../archive/archive-sessions.ts";
import { exitCodes, UserError } from "../errors.ts";
import type { Library } from "../fs/library.ts";
import { logSelector } from "../render/words.ts";
import type { SessionPointer } from "../search/session-pointers.ts";

/** The files of a session with a log that can be rewritten. */
export function writableFiles(library: Library, pointer: SessionPointer): LogFiles {
  const { files, kept, stub, id, others } = pointer;
  const isGone = kept !== undefined || stub !== undefined || files.files[0]?.role !== "main";
  const identified = isGone ? undefined : identifySession(diskSource(library.disk), files);
  if (identified !== undefined) return identified;
  if (!isGone) {
    throw new UserError(
      `Cannot rewrite session ${id}: its log is there, but its start is not that of a log of an agent that this program knows`,
      {
        exitCode: exitCodes.refused,
        hint: "`sessions archive` still keeps its bytes",
      },
    );
  }
  throw new UserError(`Cannot rewrite session ${id}: its log is gone`, {
    exitCode: exitCodes.nothingFound,
    hint:
      kept === undefined
        ? "there is nothing to shrink"
        : `\`sessions restore ${logSelector({ id, source: files.files[0]?.path ?? "", otherCopies: others })}\` brings it back`,
  });
}
