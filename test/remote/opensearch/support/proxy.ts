import { Buffer } from "node:buffer";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What a proxy does with a request: hand it on, cut the connection before or after it, hold it, refuse it. */
export type Mood = "pass" | "cut before" | "cut after" | "hold" | "busy" | "bad gateway" | "not json";

export interface TestProxy {
  readonly url: string;
  /** Asked for each request; the path tells requests apart. */
  mood: (path: string) => Mood;
  /** Requests that came with these credentials pass, others get 401; undefined: none are needed. */
  password: string | undefined;
  /** The paths of all requests so far. */
  readonly seen: string[];
  close(): Promise<void>;
}

/** Starts a proxy on loopback in front of a node. */
export async function startProxy(target: string): Promise<TestProxy> {
  const seen: string[] = [];
  const held = new Set<ServerResponse>();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const path = request.url ?? "";
    seen.push(path);
    const mood = proxy.mood(path);
    const { authorization } = request.headers;
    const expected = proxy.password && `Basic ${Buffer.from(proxy.password).toString("base64")}`;
    if (expected !== undefined && authorization !== expected) response.writeHead(401).end("{}");
    else if (mood === "cut before") response.destroy();
    else if (mood === "busy") response.writeHead(429).end("{}");
    else if (mood === "bad gateway") response.writeHead(502).end("<html>");
    else if (mood === "not json") response.writeHead(200).end("<html>hello</html>");
    else if (mood === "hold") held.add(response);
    else {
      const reply = await fetch(target + path, {
        method: request.method ?? "GET",
        headers: { "content-type": request.headers["content-type"] ?? "application/json" },
        ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
      });
      const body = Buffer.from(await reply.arrayBuffer());
      if (mood === "cut after") response.destroy();
      else response.writeHead(reply.status, { "content-type": "application/json" }).end(body);
    }
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const proxy: TestProxy = {
    url: `http://127.0.0.1:${port}`,
    mood: () => "pass",
    password: undefined,
    seen,
    async close() {
      for (const response of held) response.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}
