import { Buffer } from "node:buffer";
import { timingSafeEqual } from "node:crypto";
import type { MiddlewareHandler } from "hono";

/** The header that every request for text of sessions must have. A page of another origin can't set it. */
const TOKEN_HEADER = "x-sessions-token";

/**
 * Allows only what the page needs: its own script and style, its own server, and images that it made itself. No
 * script in the page, no frames, no forms, and no text as markup (trusted types).
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join("; ");

const headers: Readonly<Record<string, string>> = {
  "content-security-policy": POLICY,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
};

/** Adds the headers that every answer has, errors too. */
export const withHeaders: MiddlewareHandler = async (context, next) => {
  await next();
  for (const [name, value] of Object.entries(headers)) context.header(name, value);
};

/**
 * Refuses requests for another host: somebody else's domain that leads to 127.0.0.1 (DNS rebinding) is named in
 * `Host`. Refuses what a page of another origin sends.
 */
export function fromThisPage(port: () => number): MiddlewareHandler {
  return async (context, next) => {
    const hosts = [`127.0.0.1:${port()}`, `localhost:${port()}`];
    const host = context.req.header("host") ?? "";
    if (!hosts.includes(host)) return context.text("Wrong host", 421);
    const origin = context.req.header("origin");
    if (origin !== undefined && origin !== `http://${host}`) return context.text("Wrong origin", 403);
    return next();
  };
}

/** Refuses requests without the token, including reading ones: other users of this machine can reach the port. */
export function withToken(token: string): MiddlewareHandler {
  return async (context, next) => {
    if (!isSame(context.req.header(TOKEN_HEADER) ?? "", token)) {
      return context.json(
        {
          error: {
            message: "The token is missing or wrong",
            hint: "open the address that `sessions serve` printed",
          },
        },
        401,
      );
    }
    const site = context.req.header("sec-fetch-site");
    if (site !== undefined && site !== "same-origin") return context.text("Wrong origin", 403);
    return next();
  };
}

/** Takes the same time wherever the two differ. */
function isSame(given: string, token: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}
