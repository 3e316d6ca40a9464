import { randomBytes } from "node:crypto";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { serve } from "@hono/node-server";
import { type Disk, exitCodes, UserError } from "../../index.ts";
import { type Asset, createApp } from "./app.ts";
import type { RunCall } from "./page-calls.ts";

/** The only address that is listened on: other machines can't reach it. */
export const HOST = "127.0.0.1";

interface ServeOptions {
  /** 0: any free port. */
  readonly port: number;
  readonly assets: ReadonlyMap<string, Asset>;
  readonly run: RunCall;
  readonly log: (what: string) => void;
  /** Called for every request with the token. */
  readonly onCall?: () => void;
}

export interface ServedPage {
  readonly port: number;
  /** The address with the token in its fragment, which browsers never send. `&to=` and a place may follow. */
  readonly url: string;
  close(): Promise<void>;
}

/** Serves the page until it is closed, with a new token. */
export async function servePage({ run, onCall, ...options }: ServeOptions): Promise<ServedPage> {
  if (options.port > 65_535) {
    throw new UserError(`Cannot serve the page on port ${options.port}: ports end at 65535`, {
      exitCode: exitCodes.wrongUsage,
    });
  }
  const token = randomBytes(32).toString("base64url");
  let port = options.port;
  const app = createApp({
    token,
    port: () => port,
    assets: options.assets,
    log: options.log,
    run: (name, args) => {
      onCall?.();
      return run(name, args);
    },
  });
  const server = serve({ fetch: app.fetch, hostname: HOST, port });
  await new Promise<void>((resolve, reject) => {
    server.once("listening", resolve);
    server.once("error", (error) => reject(cannotListen(error, port)));
  });
  port = (server.address() as AddressInfo).port;
  return {
    port,
    url: `http://${HOST}:${port}/#token=${token}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        if ("closeAllConnections" in server) server.closeAllConnections();
      }),
  };
}

function cannotListen(error: Error, port: number): Error {
  const code = "code" in error ? error.code : undefined;
  if (code !== "EADDRINUSE" && code !== "EACCES") return error;
  const why = code === "EADDRINUSE" ? "another program uses it" : "this user may not use it";
  return new UserError(`Cannot serve the page on port ${port}: ${why}`, {
    exitCode: exitCodes.refused,
    hint: "choose another with --port, or leave it out",
    cause: error,
  });
}

const files: readonly (readonly [path: string, name: string, type: string])[] = [
  ["/", "index.html", "text/html; charset=utf-8"],
  ["/page.js", "page.js", "text/javascript; charset=utf-8"],
  ["/page.css", "page.css", "text/css; charset=utf-8"],
  ["/icon.svg", "icon.svg", "image/svg+xml"],
];

const MAX_ASSET_BYTES = 4 * 1024 * 1024;

/** Reads the client, which the build puts into a folder. */
export function readAssets(disk: Disk, folder: string): ReadonlyMap<string, Asset> {
  return new Map(
    files.map(([path, name, type]) => {
      const file = join(folder, name);
      const content = disk.readFile(file, MAX_ASSET_BYTES);
      if (content === undefined) {
        throw new UserError(`Cannot serve the page: it is not built (${file} is missing)`, {
          exitCode: exitCodes.broken,
          hint: "in a clone, run `npm install` once: it builds the page; a clone without npm: `deno task build-page`",
        });
      }
      return [path, { type, content: content.toString("utf8") }];
    }),
  );
}
