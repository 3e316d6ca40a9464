import { request } from "node:http";
import { onTestFinished } from "vitest";
import { openHistoryIn } from "../../../src/cli/open-history.ts";
import type { Asset } from "../../../src/web/server/app.ts";
import { pageCalls } from "../../../src/web/server/page-calls.ts";
import { type ServedPage, servePage } from "../../../src/web/server/serve-page.ts";
import type { TestWorld } from "../make-world.ts";

const assets: ReadonlyMap<string, Asset> = new Map([
  ["/", { type: "text/html; charset=utf-8", content: "<!doctype html><title>sessions</title>" }],
  ["/page.js", { type: "text/javascript; charset=utf-8", content: "" }],
]);

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: what is read from JSON is checked by the tests themselves.
  readonly json: any;
}

export interface TestPage extends ServedPage {
  readonly token: string;
  readonly log: readonly string[];
  /** Sends a request as the page does, unless the headers say otherwise; a null header is left out. */
  send(
    path: string,
    options?: {
      readonly method?: string;
      readonly headers?: Readonly<Record<string, string | null>>;
      readonly body?: string;
    },
  ): Promise<Reply>;
  /** Makes a call that reads. */
  get(call: string, values?: Readonly<Record<string, string | number>>): Promise<Reply>;
  /** Makes a call that writes. */
  post(call: string, body: object): Promise<Reply>;
}

/** Serves the history of a world, in this thread, until the test ends. */
export async function serveHistory(world: TestWorld): Promise<TestPage> {
  const history = await openHistoryIn(world, { reveal: false, allowDemo: true });
  await history.list({ limit: 0 });
  const log: string[] = [];
  const page = await servePage({
    port: 0,
    assets,
    run: pageCalls(history),
    log: (what) => void log.push(what),
  });
  onTestFinished(() => page.close());
  const token = page.url.split("#token=")[1] ?? "";
  const send: TestPage["send"] = (path, { method = "GET", headers = {}, body } = {}) =>
    new Promise((resolve, reject) => {
      const all = { host: `127.0.0.1:${page.port}`, "x-sessions-token": token, ...headers };
      const sent = request(
        {
          host: "127.0.0.1",
          port: page.port,
          path,
          method,
          setHost: false,
          headers: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null)) as Record<
            string,
            string
          >,
        },
        (response) => {
          let text = "";
          response.setEncoding("utf8").on("data", (part: string) => {
            text += part;
          });
          response.on("end", () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              text,
              get json() {
                return JSON.parse(text);
              },
            }),
          );
        },
      );
      sent.on("error", reject);
      sent.end(body);
    });
  return {
    ...page,
    token,
    log,
    send,
    get: (call, values = {}) => {
      const query = new URLSearchParams();
      for (const [name, value] of Object.entries(values)) query.set(name, String(value));
      return send(`/api/${call}?${query.toString()}`);
    },
    post: (call, body) =>
      send(`/api/${call}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
  };
}
