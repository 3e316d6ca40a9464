import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A new folder that goes away with the test. Its path has no links in it. */
export function temporaryFolder(): string {
  const folder = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "sessions-test-")));
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }));
  return folder;
}
