import { type Context, Hono } from "hono";
import { exitCodes, UserError } from "../../index.ts";
import type { ErrorAnswer } from "./answers.ts";
import { fromThisPage, withHeaders, withToken } from "./guard-requests.ts";
import { callNamed, type RunCall } from "./page-calls.ts";

export interface PageHost {
  readonly token: string;
  /** The port that it is served on; known once it listens. */
  readonly port: () => number;
  /** The files of the client, by the names that they are served under. */
  readonly assets: ReadonlyMap<string, Asset>;
  readonly run: RunCall;
  /** Writes to the server's log. */
  readonly log: (what: string) => void;
}

export interface Asset {
  readonly type: string;
  readonly content: string;
}

/** Requests with larger bodies do not come from the page. */
const MAX_BODY_CHARS = 10_000;

/**
 * The web application: an empty page with its script and style, which anybody may have, and calls below `/api`, which
 * need the token.
 */
export function createApp({ token, port, assets, run, log }: PageHost): Hono {
  const app = new Hono();
  app.use(withHeaders, fromThisPage(port));
  for (const [path, { type, content }] of assets)
    app.get(path, (context) => context.body(content, 200, { "content-type": type }));

  app.use("/api/*", withToken(token));
  app.get("/api/:call", async (context) => {
    const name = context.req.param("call");
    if (callNamed(name)?.isAction !== false) return context.notFound();
    return answered(context, await run(name, context.req.query()));
  });
  app.post("/api/:call", async (context) => {
    const name = context.req.param("call");
    if (callNamed(name)?.isAction !== true) return context.notFound();
    if (!/^application\/json(?:;|$)/.test(context.req.header("content-type") ?? ""))
      return context.text("Not JSON", 415);
    const body = await context.req.text();
    if (body.length > MAX_BODY_CHARS) return context.text("Too long", 413);
    return answered(context, await run(name, parseBody(body)));
  });

  app.notFound((context) => context.json(errorAnswer("There is nothing here", null), 404));
  app.onError((error, context) => {
    if (error instanceof UserError) {
      return context.json(errorAnswer(error.message, error.hint ?? null), statusOf(error));
    }
    log(error.stack ?? error.message);
    return context.json(errorAnswer(`${error.name}: ${error.message}`, "this is a bug of sessions"), 500);
  });
  return app;
}

function parseBody(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (cause) {
    throw new UserError("The request is not JSON", { exitCode: exitCodes.wrongUsage, cause });
  }
}

function answered(context: Context, json: string): Response {
  return context.body(json, 200, { "content-type": "application/json" });
}

function errorAnswer(message: string, hint: string | null): ErrorAnswer {
  return { error: { message, hint } };
}

function statusOf({ exitCode }: UserError): 400 | 404 | 409 | 500 {
  if (exitCode === exitCodes.nothingFound) return 404;
  if (exitCode === exitCodes.wrongUsage) return 400;
  return exitCode === exitCodes.refused ? 409 : 500;
}
