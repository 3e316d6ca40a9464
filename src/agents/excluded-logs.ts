import { isExcluded } from "../fs/config.ts";
import type { Library } from "../fs/library.ts";
import type { SessionFiles } from "./agent.ts";
import type { ByteSource } from "./byte-source.ts";
import { splitByLog } from "./session-copies.ts";
import { factsInHead } from "./session-of-log.ts";

/** Leaves out the logs of excluded projects, if a session has several logs; undefined if none is left. */
export function withoutExcluded(
  library: Pick<Library, "config">,
  source: ByteSource,
  session: SessionFiles,
): SessionFiles | undefined {
  const { agent, files } = session;
  const logs = library.config.exclude.length === 0 ? [] : splitByLog(files);
  if (logs.length < 2) return session;
  const left = new Set(
    logs
      .filter(
        ([{ path } = { path: "" }]) => !isExcluded(library, factsInHead(agent, path, source.head(path))),
      )
      .flat(),
  );
  return left.size === 0 ? undefined : { ...session, files: files.filter((file) => left.has(file)) };
}
