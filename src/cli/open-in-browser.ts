import { join } from "node:path";
import { makeFolders, namesIn } from "../fs/folders.ts";
import { removeQuietly } from "../fs/lock.ts";
import { replaceFile } from "../fs/replace-file.ts";
import { html } from "../render/html/markup.ts";
import type { World } from "./world.ts";

/** Programs that open a file in the user's browser, on Linux, macOS, and WSL. */
const openers: readonly string[] = ["xdg-open", "open", "wslview"];

interface Handover {
  /** False if there is no browser. It may take as long as the browser runs. */
  readonly isOpened: Promise<boolean>;
  /** Removes the file: the browser has read it, or never will. */
  remove(): void;
}

/** A browser that has not read the file by then never will. */
const STALE_MS = 60_000;

/**
 * Opens an address with a token. Every user of the machine can see the arguments of a program, so the browser gets
 * the path of a file that only this user can read, and which redirects to the address.
 */
export function openInBrowser(world: World, folder: string, url: string): Handover {
  const { disk } = world;
  makeFolders(disk, folder);
  removeStale(world, folder);
  const path = join(folder, `page-${world.uuid()}.html`);
  const page = html`<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0;url=${url}">
<title>sessions</title>
`;
  replaceFile(disk, path, page.html, { mode: 0o600 });
  return { isOpened: start(world, path), remove: () => removeQuietly(disk, path) };
}

async function start(world: World, path: string): Promise<boolean> {
  for (const program of openers) {
    const exitCode = await world.run(program, [path], { quiet: true });
    if (exitCode === 0) return true;
  }
  return false;
}

/** Removes the file of a server that was ended before the browser requested the page. */
function removeStale({ disk, now }: World, folder: string): void {
  for (const name of namesIn(disk, folder)) {
    const path = join(folder, name);
    if (!/^page-[\w-]+\.html$/.test(name)) continue;
    if (now() - (disk.stat(path)?.mtimeMs ?? 0) > STALE_MS) removeQuietly(disk, path);
  }
}
