import { Buffer } from "node:buffer";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ObjectStore } from "../../src/remote/object-store.ts";
import { openS3Store } from "../../src/remote/s3-store.ts";
import { makeLibrary } from "../support/make-library.ts";

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A store whose server answers as it is told: what real ones do now and then, and hostile ones might. */
async function storeThatAnswers(
  answer: (request: IncomingMessage, nth: number, response: ServerResponse) => Answer | undefined,
  prefix = "p",
): Promise<ObjectStore> {
  let nth = 0;
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () => {
      const answered = answer(request, nth++, response);
      if (answered !== undefined) response.writeHead(answered.status, answered.headers).end(answered.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("no port");
  const variables = { AWS_ACCESS_KEY_ID: "me", AWS_SECRET_ACCESS_KEY: "the-secret" };
  return openS3Store(makeLibrary({ variables }), {
    name: "home",
    kind: "s3",
    url: `s3://bucket/${prefix}`,
    endpoint: `http://127.0.0.1:${address.port}`,
  });
}

const error = (code: string, more = ""): string => `<Error><Code>${code}</Code>${more}</Error>`;
const list = (keys: readonly string[], more = ""): string =>
  `<ListBucketResult>${more}${keys
    .map(
      (key) =>
        `<Contents><Key>${key}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><Size>1</Size></Contents>`,
    )
    .join("")}</ListBucketResult>`;

describe("openS3Store()", () => {
  test.each<[string, Answer, RegExp, RegExp]>([
    [
      "a bucket in another region",
      { status: 301, headers: { "x-amz-bucket-region": "eu-west-1" }, body: error("PermanentRedirect") },
      /^Cannot use s3:\/\/bucket\/p: the bucket is in the region eu-west-1$/,
      /`sessions remote add home s3:\/\/bucket\/p --region eu-west-1`/,
    ],
    [
      "a signature for another region",
      { status: 400, body: error("AuthorizationHeaderMalformed", "<Region>eu-west-1</Region>") },
      /the bucket is in the region eu-west-1$/,
      /--region eu-west-1/,
    ],
    [
      "a redirect to elsewhere, which is not followed",
      { status: 307, headers: { location: "http://127.0.0.1:9/bucket" }, body: error("TemporaryRedirect") },
      /it is somewhere else \(307 TemporaryRedirect\)$/,
      /--endpoint/,
    ],
    [
      "a session token that has expired",
      { status: 400, body: error("ExpiredToken") },
      /Cannot use .*400 ExpiredToken$/,
      /credentials/,
    ],
    [
      "a bucket that does not exist",
      { status: 404, body: error("NoSuchBucket") },
      /there is no such bucket$/,
      /check its name/,
    ],
    [
      "a clock that is wrong, if the store does not say what time it is",
      { status: 403, headers: { date: "?" }, body: error("RequestTimeTooSkewed") },
      /the clock of this machine is wrong$/,
      /set the clock/,
    ],
  ])("says what to do about %s", async (_, answer, message, hint) => {
    const store = await storeThatAnswers(() => answer);
    const calls = [
      () => store.get("format.json", 10),
      () => store.put("format.json", Buffer.from("x")),
      () => store.list("manifests/"),
      () => store.delete("format.json"),
    ];
    for (const call of calls) {
      await expect(call()).rejects.toMatchObject({
        exitCode: 4,
        message: expect.stringMatching(message),
        hint: expect.stringMatching(hint),
      });
      await expect(call()).rejects.not.toThrow("the-secret");
    }
  });

  test("signs with the store's clock if this machine's is wrong", async () => {
    const signedAt: string[] = [];
    const store = await storeThatAnswers((request) => {
      const at = String(request.headers["x-amz-date"]);
      signedAt.push(at);
      const date = "Sun, 01 Jan 2040 12:00:00 GMT";
      return at.startsWith("20400101T12")
        ? { status: 200, headers: { date }, body: "content" }
        : { status: 403, headers: { date }, body: error("RequestTimeTooSkewed") };
    });
    expect(Buffer.from((await store.get("format.json", 100)) ?? "").toString()).toBe("content");
    await store.get("format.json", 100);
    expect(signedAt).toHaveLength(3);
  });

  test.each([409, 500, 503])("tries again after %i", async (status) => {
    const store = await storeThatAnswers((_, nth) => ({ status: nth === 0 ? status : 200 }));
    expect(await store.put("format.json", Buffer.from("x"))).toBe(true);
  });

  test("tries again if an object breaks off in the middle", async () => {
    const store = await storeThatAnswers((_, nth, response) => {
      if (nth > 0) return { status: 200, body: "0123456789" };
      response.writeHead(200, { "content-length": "10" });
      response.write("01234", () => response.destroy());
      return undefined;
    });
    expect(Buffer.from((await store.get("format.json", 100)) ?? "").toString()).toBe("0123456789");
  });

  test("does not try again what a store can't do, and says so", async () => {
    let calls = 0;
    const store = await storeThatAnswers(() => {
      calls++;
      return { status: 501, body: error("NotImplemented") };
    });
    await expect(store.put("format.json", Buffer.from("x"))).rejects.toThrow("does not know If-None-Match");
    expect(calls).toBe(1);
  });

  test("reads no more of an object than it may have, whatever is sent", async () => {
    let sent = 0;
    const store = await storeThatAnswers((_, __, response) => {
      response.writeHead(200);
      const more = (): void => {
        sent += 64 * 1024;
        if (!response.destroyed && sent < 256 * 1024 * 1024) response.write(Buffer.alloc(64 * 1024), more);
      };
      more();
      return undefined;
    });
    expect(await store.get("format.json", 1_000)).toHaveLength(1_001);
    expect(sent).toBeLessThan(64 * 1024 * 1024);
  });

  test("lists objects below a prefix with any signs, over several pages", async () => {
    const prefix = 'Ana\'s & "Bea" <ü>';
    const asXml = "Ana&#39;s &amp; &quot;Bea&#x22; &lt;ü&gt;".replace("&quot;", "&#34;");
    const asked: string[] = [];
    const store = await storeThatAnswers((request) => {
      const query = new URL(request.url ?? "", "http://x").searchParams;
      asked.push(query.get("prefix") ?? "");
      return query.get("continuation-token") === "a+b/c="
        ? { status: 200, body: list([`${asXml}/keys/two`, "other/keys/three"]) }
        : {
            status: 200,
            body: list(
              [`${asXml}/keys/one`],
              "<IsTruncated>true</IsTruncated><NextContinuationToken>a+b/c=</NextContinuationToken>",
            ),
          };
    }, prefix);
    expect((await store.list("keys/")).map(({ name }) => name)).toEqual(["keys/one", "keys/two"]);
    expect(asked).toEqual([`${prefix}/keys/`, `${prefix}/keys/`]);
  });

  test.each([
    ["a list that ends in the middle", list(["p/keys/one"], "<IsTruncated>true</IsTruncated>"), /is cut off/],
    ["a page for people", "<html>Please log in</html>", /is no S3/],
  ])("takes %s for none", async (_, body, what) => {
    const store = await storeThatAnswers(() => ({ status: 200, body }));
    await expect(store.list("keys/")).rejects.toThrow(what);
  });
});
