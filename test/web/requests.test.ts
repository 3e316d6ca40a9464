import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { describe, expect, onTestFinished, test } from "vitest";
import { callNamed, callNames } from "../../src/web/server/page-calls.ts";
import { servePage } from "../../src/web/server/serve-page.ts";
import { makeWorld } from "../support/make-world.ts";
import { serveHistory } from "../support/web/serve-history.ts";

const TOKEN_SESSION = "claude:87f01b2f-1b5d-461b-8db4-95cd4ce864a4";
const isAction = (name: string): boolean => callNamed(name)?.isAction === true;
const readingCalls = callNames.filter((name) => !isAction(name));
const actions = callNames.filter(isAction);

describe("every request", () => {
  test("is refused with another host, even with the token: a foreign name may resolve to this machine", async () => {
    const page = await serveHistory(makeWorld());
    for (const host of [
      "evil.example",
      `evil.example:${page.port}`,
      "127.0.0.1",
      "127.0.0.1:1",
      `[::1]:${page.port}`,
    ])
      for (const path of ["/", "/page.js", "/api/list"])
        expect((await page.send(path, { headers: { host } })).status, `${host}${path}`).toBe(421);
    // Under this name some browsers show it.
    expect((await page.send("/", { headers: { host: `localhost:${page.port}` } })).status).toBe(200);
  });

  test("is refused from a page of another origin", async () => {
    const page = await serveHistory(makeWorld());
    const own = `http://127.0.0.1:${page.port}`;
    for (const origin of [
      "https://evil.example",
      "null",
      "http://127.0.0.1:1",
      `https://127.0.0.1:${page.port}`,
    ])
      expect((await page.send("/api/list", { headers: { origin } })).status, origin).toBe(403);
    for (const site of ["cross-site", "same-site", "none"])
      expect((await page.send("/api/list", { headers: { "sec-fetch-site": site } })).status, site).toBe(403);
    const headers = { origin: own, "sec-fetch-site": "same-origin" };
    expect((await page.send("/api/list", { headers })).status).toBe(200);
  });

  test("is answered with a policy that allows only the page's own files", async () => {
    const page = await serveHistory(makeWorld());
    const answers = [
      await page.send("/"),
      await page.send("/nothing"),
      await page.send("/api/list"),
      await page.send("/api/list", { headers: { "x-sessions-token": null } }),
      await page.send("/", { headers: { host: "evil.example" } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 200, 401, 421]);
    for (const { headers } of answers) {
      const policy = String(headers["content-security-policy"]);
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe|\*|https?:/);
      expect(headers["access-control-allow-origin"]).toBeUndefined();
      expect(headers["x-content-type-options"]).toBe("nosniff");
      expect(headers["cache-control"]).toBe("no-store");
    }
  });
});

describe("a request without the token", () => {
  test("gets the empty page with its script, and nothing else", async () => {
    const page = await serveHistory(makeWorld());
    for (const token of [null, "", "wrong", `${page.token}x`, page.token.slice(1)]) {
      const headers = { "x-sessions-token": token };
      expect((await page.send("/", { headers })).status).toBe(200);
      for (const call of readingCalls) {
        const { status, text } = await page.send(`/api/${call}?key=${TOKEN_SESSION}&q=token`, { headers });
        expect([status, /refresh/.test(text)], call).toEqual([401, false]);
      }
      for (const call of actions) {
        const options = { method: "POST", headers: { ...headers, "content-type": "application/json" } };
        const body = JSON.stringify({ key: TOKEN_SESSION, format: "md" });
        expect((await page.send(`/api/${call}`, { ...options, body })).status, call).toBe(401);
      }
    }
  });

  test("is not helped by a token in the address or a cookie", async () => {
    const page = await serveHistory(makeWorld());
    const headers = { "x-sessions-token": null, cookie: `x-sessions-token=${page.token}` };
    expect(
      (await page.send(`/api/list?token=${page.token}&x-sessions-token=${page.token}`, { headers })).status,
    ).toBe(401);
  });
});

describe("the calls", () => {
  test("that write or hand out documents are known", () => {
    expect(actions.toSorted()).toEqual(["archive", "export", "restore"]);
    expect(readingCalls.length).toBeGreaterThan(8);
    for (const name of ["constructor", "__proto__", "toString", ""]) expect(callNamed(name)).toBeUndefined();
  });

  test.each([
    ["/api/export?key=x&format=md", "GET", 404],
    ["/api/archive?key=x", "GET", 404],
    ["/api/list", "POST", 404],
    ["/api/list", "DELETE", 404],
    ["/api/__proto__", "GET", 404],
    ["/api/constructor", "POST", 404],
    ["/api/", "GET", 404],
    ["/../package.json", "GET", 404],
    ["/..%2f..%2fpackage.json", "GET", 404],
    ["/api/..%2fpage.js", "GET", 404],
    ["/api/session?key=claude:nothing-like-it", "GET", 404],
    ["/api/session", "GET", 400],
    [`/api/session?key=${"x".repeat(500)}`, "GET", 400],
    ["/api/list?limit=1000000", "GET", 400],
    ["/api/list?limit=-1", "GET", 400],
    ["/api/list?offset=zero", "GET", 400],
    ["/api/search?q=&limit=5", "GET", 400],
    ["/api/search?q=agent:nobody", "GET", 400],
    [`/api/details?key=${TOKEN_SESSION}&turn=1&step=99999`, "GET", 404],
  ])("answers %s (%s) with %i", async (path, method, status) => {
    const page = await serveHistory(makeWorld());
    const body = method === "POST" ? "{}" : undefined;
    const headers = { "content-type": "application/json" };
    const reply = await page.send(path, { method, headers, ...(body === undefined ? {} : { body }) });
    expect([reply.status, page.log]).toEqual([status, []]);
    expect(reply.json.error.message.length).toBeGreaterThan(5);
  });

  test.each([
    ["text/plain", "{}", 415],
    ["application/x-www-form-urlencoded", "key=x", 415],
    ["application/json", "{", 400],
    ["application/json", "null", 400],
    ["application/json", JSON.stringify({ key: "x".repeat(20_000) }), 413],
    ["application/json", JSON.stringify({ key: TOKEN_SESSION, format: "exe" }), 400],
  ])("that write refuse a body of type %s: %j", async (type, body, status) => {
    const page = await serveHistory(makeWorld());
    const reply = await page.send("/api/export", { method: "POST", headers: { "content-type": type }, body });
    expect([reply.status, page.log]).toEqual([status, []]);
  });
});

describe("servePage()", () => {
  test("logs a bug of a call, also if it is one in reading JSON", async () => {
    const log: string[] = [];
    const page = await servePage({
      port: 0,
      assets: new Map(),
      run: async () => JSON.parse("{"),
      log: (what) => void log.push(what),
    });
    onTestFinished(() => page.close());
    const headers = {
      "x-sessions-token": page.url.split("#token=")[1] ?? "",
      "content-type": "application/json",
    };
    const url = `http://127.0.0.1:${page.port}/api`;
    const body = JSON.stringify({ key: TOKEN_SESSION });
    const replies = [
      await fetch(`${url}/list`, { headers }),
      await fetch(`${url}/archive`, { method: "POST", headers, body }),
    ];
    for (const reply of replies) {
      expect(reply.status).toBe(500);
      expect(await reply.json()).toMatchObject({
        error: { message: expect.stringMatching(/^SyntaxError: /) },
      });
    }
    expect(log).toHaveLength(2);
  });

  test("says that a port is taken", async () => {
    const page = await serveHistory(makeWorld());
    const options = { port: page.port, assets: new Map(), run: async () => "{}", log: () => undefined };
    await expect(servePage(options)).rejects.toThrow(
      `Cannot serve the page on port ${page.port}: another program uses it`,
    );
  });

  const outside = Object.values(networkInterfaces())
    .flat()
    .find((each) => each !== undefined && !each.internal && each.family === "IPv4")?.address;

  test.skipIf(outside === undefined)("can't be reached from the network", async () => {
    const page = await serveHistory(makeWorld());
    const isReached = await new Promise((resolve) => {
      const socket = connect({ host: outside ?? "", port: page.port });
      socket.once("connect", () => {
        socket.destroy();
        resolve(true);
      });
      socket.once("error", () => resolve(false));
    });
    expect(isReached).toBe(false);
  });

  test("makes another token each time", async () => {
    const [a, b] = [await serveHistory(makeWorld()), await serveHistory(makeWorld())];
    expect(a.token).toMatch(/^[\w-]{43}$/);
    expect(a.token).not.toBe(b.token);
    expect((await a.send("/api/list", { headers: { "x-sessions-token": b.token } })).status).toBe(401);
  });
});
