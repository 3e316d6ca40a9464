import { Buffer } from "node:buffer";
import { join } from "node:path";
import { type CatalogRow, exitCodes, type OpenHistory, UserError } from "../../index.ts";
import { inBatches } from "../../render/text-parts.ts";
import { writeDocument } from "../../search/write-document.ts";
import { sessionPlace } from "../../web/session-place.ts";
import { restorePlanLines } from "../commands/restore.ts";
import { resumeLine } from "../commands/resume.ts";
import { formatBytes } from "../output/amounts.ts";
import { sanitize } from "../output/sanitize.ts";
import { shortPath } from "../output/session-table.ts";
import { type ServedHistory, serveHistory } from "../serve-history.ts";
import type { Terminal } from "../terminal.ts";
import type { World } from "../world.ts";
import { type ExportChoice, keyOf } from "./pick-state.ts";

interface PickContext {
  readonly history: OpenHistory;
  readonly world: World;
}

/** Names a listed session: by its log if several have its id. */
export function pickedSelector({ digest, copies, source }: CatalogRow): string {
  return copies > 1 && source !== null ? source : digest.id;
}

/**
 * Copies the id or the resume command of a session to the clipboard, and says what was copied. tmux has a command for
 * it; any other terminal, even at the far end of ssh, is asked with OSC 52.
 */
export async function copyPicked(
  row: CatalogRow,
  what: "id" | "command",
  { history, world, terminal }: PickContext & { readonly terminal: Terminal },
): Promise<string> {
  const text = sanitize(what === "id" ? row.digest.id : await commandOf(row, history));
  const inTmux =
    (world.variables.TMUX ?? "") !== "" &&
    (await world.run("tmux", ["load-buffer", "-w", "-"], { input: text, quiet: true })) === 0;
  if (!inTmux) terminal.write(`\x1b]52;c;${Buffer.from(text).toString("base64")}\x07`);
  return `Copied: ${text}`;
}

async function commandOf(row: CatalogRow, history: OpenHistory): Promise<string> {
  const { resume } = await history.resume(pickedSelector(row));
  return resumeLine(history.mask(resume));
}

/** The page, served from the first time that a session is opened in it. */
export interface PickerPage {
  /** Shows a session in the browser, and says so. */
  open(row: CatalogRow, turn: number | null, query: string): Promise<string>;
  close(): Promise<void>;
}

export function createPickerPage(world: World): PickerPage {
  let served: Promise<ServedHistory> | undefined;
  return {
    async open(row, turn, query) {
      served ??= serveHistory(world);
      const page = await served.catch((error: unknown) => {
        served = undefined;
        throw error;
      });
      const isOpened = await page.open(sessionPlace(keyOf(row), turn, query));
      if (isOpened) return "Opened in the browser, for as long as the picker runs";
      throw new UserError("Cannot open a browser", {
        exitCode: exitCodes.refused,
        hint: "`sessions serve` prints an address to open",
      });
    },
    async close() {
      await (await served)?.close();
    },
  };
}

/** Writes a session to a new file in the user's folder. An existing file is never replaced. */
export async function exportPicked(
  row: CatalogRow,
  format: ExportChoice,
  { history, world }: PickContext,
): Promise<string> {
  const { parts } = await history.export(pickedSelector(row), { format });
  for (let number = 1; ; number++) {
    const name = `session-${safeId(row.digest.id)}${number === 1 ? "" : `-${number}`}.${format}`;
    const file = join(world.folder, name);
    if (world.disk.lstat(file) !== undefined) continue;
    const { path, bytes } = await world.uninterrupted(async () =>
      writeDocument(history.library, file, () => inBatches(parts()), { force: false }),
    );
    return `Wrote ${shortPath(path, world.home)} (${formatBytes(bytes)})`;
  }
}

function safeId(id: string): string {
  return id.replace(/[^A-Za-z0-9-]/g, "").slice(0, 8) || "export";
}

/** What restoring a session would do, in lines. Throws if it can't be restored. */
export async function planRestore(
  row: CatalogRow,
  { history, world }: PickContext,
): Promise<readonly string[]> {
  const { sessions, problems } = await history.restore(row.digest.id, { ...restoreFrom(row), dryRun: true });
  const [planned] = sessions;
  if (planned?.outcome === "restored") return restorePlanLines(planned, world.home);
  if (planned?.outcome === "unchanged") throw cannotRestore(row, "its log is already there");
  const [why] = planned === undefined ? [] : restorePlanLines(planned, world.home);
  throw cannotRestore(row, why ?? problems[0]?.what);
}

/** Puts the log of a session where its agent finds it, and says where that is. */
export async function restorePicked(row: CatalogRow, { history, world }: PickContext): Promise<string> {
  const { sessions } = await world.uninterrupted(() => history.restore(row.digest.id, restoreFrom(row)));
  const [restored] = sessions;
  const main = restored?.files.find(({ role }) => role === "main")?.path;
  if (restored?.outcome === "restored" && restored.imports.length === 0 && main !== undefined)
    return `Restored ${shortPath(main, world.home)}`;
  if (restored?.outcome === "unchanged") return "Its log is already there";
  // Sessions that an agent must import are left to the command.
  throw cannotRestore(row, restored?.imports.length ? "its agent has to import it" : undefined);
}

/** A log of the same id may also belong to another machine. */
function restoreFrom({ digest }: CatalogRow): { readonly machine?: string } {
  return digest.machine === undefined ? {} : { machine: digest.machine };
}

function cannotRestore({ digest }: CatalogRow, why: string | undefined): UserError {
  return new UserError(`Cannot restore session ${digest.id}${why === undefined ? "" : `: ${why}`}`, {
    exitCode: exitCodes.refused,
    hint: `see \`sessions restore ${digest.id}\``,
  });
}
