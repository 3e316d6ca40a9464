import { Buffer } from "node:buffer";
import { AwsClient } from "aws4fetch";
import { exitCodes, UserError } from "../errors.ts";
import type { Library } from "../fs/library.ts";
import { readCredentials } from "./credentials.ts";
import { denied, isObjectName, type ListedObject, type ObjectStore, unreachable } from "./object-store.ts";
import type { Remote } from "./remotes.ts";

const REQUEST_MS = 120_000;
/** Attempts for requests that fail because of the network or the server. */
const RETRIES = 4;
const FIRST_PAUSE_MS = 200;
/** A page of a list has 1,000 names; errors are short. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/** Failures that may be temporary. 501 means that the store does not support the request. */
const AGAIN: ReadonlySet<number> = new Set([408, 409, 429, 500, 502, 503, 504]);

/** A reply that was read to its end, or to one byte more than requested. */
interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
  /** The S3 error code; empty if there is none. */
  readonly code: string;
}

/**
 * A bucket of S3 or of a compatible store. Put-if-absent is `If-None-Match: *`, which S3, MinIO, R2, Ceph and Garage
 * support; the bucket is in the path, which all of them accept.
 */
export function openS3Store(library: Library, remote: Remote): ObjectStore {
  const [, bucket = "", prefix = ""] = /^s3:\/\/([^/]+)\/?(.*)$/.exec(remote.url) ?? [];
  const credentials = readCredentials(library, remote);
  const accessKeyId = credentials.get("aws_access_key_id");
  const secretAccessKey = credentials.get("aws_secret_access_key");
  const sessionToken = credentials.get("aws_session_token");
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    throw new UserError(`Cannot use ${remote.url}: there are no credentials`, {
      exitCode: exitCodes.refused,
      hint: "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a file when adding it: --credentials FILE",
    });
  }
  const inFile = remote.credentials === undefined ? undefined : credentials.get("region");
  const region =
    remote.region ??
    credentials.get("aws_region") ??
    credentials.get("aws_default_region") ??
    inFile ??
    "us-east-1";
  const client = new AwsClient({
    accessKeyId,
    secretAccessKey,
    ...(sessionToken === undefined ? {} : { sessionToken }),
    service: "s3",
    region,
    retries: 0,
  });
  const endpoint = remote.endpoint ?? `https://s3.${region}.amazonaws.com`;
  const base = `${endpoint}/${bucket}`;
  const place = remote.url;
  const keyOf = (name: string): string => (prefix === "" ? name : `${prefix}/${name}`);
  const urlOf = (name: string): string => {
    if (!isObjectName(name)) throw new Error(`not the name of an object: ${JSON.stringify(name)}`);
    return `${base}/${keyOf(name).split("/").map(encodeURIComponent).join("/")}`;
  };

  /** How far the store's clock is ahead of this one, once known. */
  let skewMs = 0;
  const attemptOnce = async (url: string, init: RequestInit, maxBytes: number): Promise<Answer> => {
    const signed = skewMs === 0 ? {} : { aws: { datetime: datetimeOf(library.now() + skewMs) } };
    const signal = AbortSignal.timeout(REQUEST_MS);
    // The signature is not valid for another host.
    const response = await client.fetch(url, { ...init, ...signed, signal, redirect: "manual" });
    const body = await readBody(response, maxBytes);
    const { status, headers } = response;
    const [, code = ""] =
      status < 300 ? [] : (/<Code>([A-Za-z]+)<\/Code>/.exec(body.toString("utf8", 0, 4096)) ?? []);
    return { status, headers, body, code };
  };
  /** Sends a request, again if the network or the server fails. Every request may be repeated: nothing is overwritten. */
  const send = async (
    url: string,
    init: RequestInit,
    maxBytes: number = MAX_ANSWER_BYTES,
  ): Promise<Answer> => {
    for (let attempt = 0; ; attempt++) {
      const isLast = attempt >= RETRIES;
      try {
        const answer = await attemptOnce(url, init, maxBytes);
        const { status, headers, code } = answer;
        const at = Date.parse(headers.get("date") ?? "");
        const isSkewed = code === "RequestTimeTooSkewed" && skewMs === 0 && !Number.isNaN(at);
        if (isSkewed) skewMs = at - library.now();
        if (isLast || !(AGAIN.has(status) || code === "RequestTimeout" || isSkewed)) return answer;
      } catch (error) {
        if (isLast) throw unreachable(place, reasonOf(error), error);
      }
      await new Promise((resolve) => setTimeout(resolve, FIRST_PAUSE_MS * 2 ** attempt));
    }
  };

  return {
    place,
    async put(name, bytes) {
      const answer = await send(urlOf(name), {
        method: "PUT",
        headers: { "if-none-match": "*", "content-type": "application/octet-stream" },
        body: new Uint8Array(bytes),
      });
      // 409: another machine is storing it at this moment.
      if (answer.status === 412 || answer.status === 409) return false;
      if (answer.status === 501)
        throw denied(place, "the store does not know If-None-Match", "use a store that does");
      if (!isOk(answer)) throw failure(remote, answer);
      return true;
    },
    async get(name, maxBytes) {
      const range = { range: `bytes=0-${maxBytes}` };
      const answer = await send(urlOf(name), { method: "GET", headers: range }, maxBytes);
      if (answer.status === 404 && answer.code !== "NoSuchBucket") return undefined;
      // An empty object has no range.
      if (answer.status === 416) return new Uint8Array();
      if (!isOk(answer)) throw failure(remote, answer);
      return answer.body.subarray(0, maxBytes + 1);
    },
    async list(wanted) {
      const found: ListedObject[] = [];
      let token: string | undefined;
      do {
        const query = new URLSearchParams({ "list-type": "2", prefix: keyOf(wanted) });
        if (token !== undefined) query.set("continuation-token", token);
        const answer = await send(`${base}?${query.toString().replaceAll("+", "%20")}`, { method: "GET" });
        if (!isOk(answer)) throw failure(remote, answer);
        const page = answer.body.toString("utf8");
        if (!page.includes("<ListBucketResult")) throw unreachable(place, "what answers there is no S3");
        found.push(...objectsIn(page, prefix));
        token = /<NextContinuationToken>([^<]+)</.exec(page)?.[1];
        if (token !== undefined) token = unescapeXml(token);
        // Objects missing in a list would be taken for garbage.
        if (token === undefined && /<IsTruncated>\s*true/.test(page))
          throw unreachable(place, "its list of objects is cut off");
      } while (token !== undefined);
      return found;
    },
    async delete(name) {
      const answer = await send(urlOf(name), { method: "DELETE" });
      const isGone = answer.status === 404 && answer.code !== "NoSuchBucket";
      if (!isOk(answer) && !isGone) throw failure(remote, answer);
    },
    async now() {
      const answer = await send(`${base}?list-type=2&max-keys=1`, { method: "GET" });
      if (!isOk(answer)) throw failure(remote, answer);
      const at = Date.parse(answer.headers.get("date") ?? "");
      // Without a clock, nothing is old enough to be removed.
      return Number.isNaN(at) ? 0 : at;
    },
  };
}

function isOk({ status }: Answer): boolean {
  return status >= 200 && status < 300;
}

/** Error codes that mean bad credentials, whatever the status. */
const CREDENTIALS: ReadonlySet<string> = new Set(["ExpiredToken", "InvalidToken", "TokenRefreshRequired"]);

/** The error for a request that the store refused, in words that a person can act on. */
function failure({ name, url }: Remote, { status, headers, body, code }: Answer): UserError {
  const [, named] = /<Region>([\w-]+)<\/Region>/.exec(body.toString("utf8", 0, 4096)) ?? [];
  const region = headers.get("x-amz-bucket-region") ?? named;
  const isElsewhere = (status >= 300 && status < 400) || code === "AuthorizationHeaderMalformed";
  if (isElsewhere && region !== undefined && /^[\w-]{1,40}$/.test(region)) {
    return denied(
      url,
      `the bucket is in the region ${region}`,
      `\`sessions remote remove ${name}\`, then \`sessions remote add ${name} ${url} --region ${region}\``,
    );
  }
  if (code === "NoSuchBucket") return denied(url, "there is no such bucket", "make it, or check its name");
  if (code === "RequestTimeTooSkewed")
    return denied(url, "the clock of this machine is wrong", "set the clock, and run this again");
  const what = `${status}${code === "" ? "" : ` ${code}`}`;
  if ([401, 403, 404].includes(status) || CREDENTIALS.has(code)) return denied(url, what);
  if (status >= 300 && status < 400)
    return denied(url, `it is somewhere else (${what})`, "check --endpoint and --region");
  return unreachable(url, what);
}

/** The time in a signature: 20260131T120000Z. */
function datetimeOf(ms: number): string {
  return new Date(ms).toISOString().replace(/[:-]|\.\d{3}/g, "");
}

/** Reads at most one byte more than `maxBytes`: a store may send without end. */
async function readBody(response: Response, maxBytes: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  const reader = response.body?.getReader();
  for (let length = 0; reader !== undefined && length <= maxBytes; ) {
    const { done, value } = await reader.read();
    if (done) return Buffer.concat(parts);
    parts.push(value);
    length += value.length;
  }
  await reader?.cancel();
  return Buffer.concat(parts);
}

/** Reads a page of a list. Names that this program does not use are left out. */
function objectsIn(page: string, prefix: string): readonly ListedObject[] {
  return [...page.matchAll(/<Contents>(.*?)<\/Contents>/gs)].flatMap(([, text = ""]) => {
    const [, key = ""] = /<Key>([^<]*)<\/Key>/.exec(text) ?? [];
    const [, size = ""] = /<Size>(\d+)<\/Size>/.exec(text) ?? [];
    const [, at = ""] = /<LastModified>([^<]*)<\/LastModified>/.exec(text) ?? [];
    const name = nameIn(unescapeXml(key), prefix);
    const storedAt = Date.parse(at);
    if (!isObjectName(name) || size === "" || Number.isNaN(storedAt)) return [];
    return [{ name, bytes: Number(size), storedAt }];
  });
}

function nameIn(key: string, prefix: string): string {
  if (prefix === "") return key;
  return key.startsWith(`${prefix}/`) ? key.slice(prefix.length + 1) : "";
}

function unescapeXml(text: string): string {
  const names: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
  return text.replace(
    /&(?:(amp|lt|gt|quot|apos)|#(\d{1,6})|#x([\da-f]{1,5}));/gi,
    (_, name?: string, decimal?: string, hex?: string) =>
      name === undefined
        ? String.fromCodePoint(Number.parseInt(decimal ?? hex ?? "0", decimal === undefined ? 16 : 10))
        : (names[name.toLowerCase()] ?? ""),
  );
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // fetch hides the reason in the cause.
  return error.cause instanceof Error ? error.cause.message : error.message;
}
