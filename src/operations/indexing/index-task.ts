import { createRedactor } from "../../core/redact/redact.ts";
import type { IndexedSession } from "../../core/search/search-engine.ts";
import { nodeDisk } from "../../store/node-disk.ts";
import { diskSource } from "../disk-source.ts";
import type { Library } from "../library.ts";
import type { SessionToRead } from "./plan-refresh.ts";
import { readForIndex } from "./read-for-index.ts";
import type { SessionRow } from "./session-row.ts";

/** What a thread is started with. */
export interface IndexTaskData {
  readonly places: Library["places"];
  readonly config: Library["config"];
}

/** What a session is to the index; absent where it is no session. */
export interface IndexTaskAnswer {
  readonly row?: SessionRow | undefined;
  readonly indexed?: IndexedSession | undefined;
}

/** Reads sessions in a thread of its own, masks them, and hands over what the index keeps of them. */
export function indexTask(
  data: unknown,
  post: (answer: IndexTaskAnswer) => void,
): (request: unknown) => void {
  const { places, config } = data as IndexTaskData;
  const source = diskSource(nodeDisk);
  const { redact } = createRedactor({ extra: config.redact });
  return (session) => {
    let row: SessionRow | undefined;
    const indexed = readForIndex(
      { config, places, disk: nodeDisk },
      session as SessionToRead,
      source,
      (each) => {
        row = each;
        return false;
      },
      redact,
    );
    // What is masked when it is asked for is asked for here.
    post(indexed === undefined ? {} : { row, indexed });
  };
}
