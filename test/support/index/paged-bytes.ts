import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createPagedFile,
  createPagedWriter,
  type PagedFile,
  type PagedWriter,
} from "../../../src/search/paged/paged-file.ts";
import { hastyDisk } from "./index-folder.ts";

/** Writes a file of pages and reads it again, in a folder that is gone afterwards. */
export function withPagedFile<T>(
  write: (out: PagedWriter) => T,
  read: (file: PagedFile, written: T) => void,
): void {
  const folder = fs.mkdtempSync(join(tmpdir(), "sessions-pages-"));
  try {
    const path = join(folder, "pages");
    const out = createPagedWriter(hastyDisk, path);
    const written = write(out);
    const sums = out.endPages();
    out.finish();
    out.close();
    const handle = hastyDisk.open(path, "read");
    try {
      read(createPagedFile(hastyDisk, handle, "pages", sums, out.offset), written);
    } finally {
      hastyDisk.close(handle);
    }
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}
