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
  const region = remote.region ?? credentials.get("aws_region") ?? credentials.get("region") ?? "us-east-1";
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

  /**
   * Sends a request, and repeats it if the network or the server fails. Every request may be repeated, because
   * nothing is overwritten.
   */
  const send = async (url: string, init: RequestInit): Promise<Response> => {
    for (let attempt = 0; ; attempt++) {
      const isLast = attempt >= RETRIES;
      try {
        const response = await client.fetch(url, { ...init, signal: AbortSignal.timeout(REQUEST_MS) });
        if ((response.status < 500 && response.status !== 429) || isLast) return response;
        await response.arrayBuffer();
      } catch (error) {
        if (isLast) throw unreachable(place, reasonOf(error), error);
      }
      await new Promise((resolve) => setTimeout(resolve, FIRST_PAUSE_MS * 2 ** attempt));
    }
  };
  const failure = async (response: Response): Promise<UserError> => {
    const [, code = ""] = /<Code>([A-Za-z]+)<\/Code>/.exec(await response.text()) ?? [];
    const what = `${response.status}${code === "" ? "" : ` ${code}`}`;
    return [401, 403, 404].includes(response.status) ? denied(place, what) : unreachable(place, what);
  };

  return {
    place,
    async put(name, bytes) {
      const response = await send(urlOf(name), {
        method: "PUT",
        headers: { "if-none-match": "*", "content-type": "application/octet-stream" },
        body: new Uint8Array(bytes),
      });
      // 409: another client is putting it at this moment.
      if (response.status === 412 || response.status === 409) {
        await response.arrayBuffer();
        return false;
      }
      if (!response.ok) throw await failure(response);
      await response.arrayBuffer();
      return true;
    },
    async get(name, maxBytes) {
      const response = await send(urlOf(name), { method: "GET", headers: { range: `bytes=0-${maxBytes}` } });
      if (response.status === 404) {
        const text = await response.text();
        if (text.includes("NoSuchBucket")) throw denied(place, "there is no such bucket");
        return undefined;
      }
      // An empty object has no range.
      if (response.status === 416) {
        await response.arrayBuffer();
        return new Uint8Array();
      }
      if (!response.ok) throw await failure(response);
      return new Uint8Array(await readBody(response, place)).subarray(0, maxBytes + 1);
    },
    async list(wanted) {
      const found: ListedObject[] = [];
      let token: string | undefined;
      do {
        const query = new URLSearchParams({ "list-type": "2", prefix: keyOf(wanted) });
        if (token !== undefined) query.set("continuation-token", token);
        const response = await send(`${base}?${query.toString()}`, { method: "GET" });
        if (!response.ok) throw await failure(response);
        const page = Buffer.from(await readBody(response, place)).toString("utf8");
        found.push(...objectsIn(page, prefix));
        token = /<NextContinuationToken>([^<]+)</.exec(page)?.[1];
        if (token !== undefined) token = unescapeXml(token);
      } while (token !== undefined);
      return found;
    },
    async delete(name) {
      const response = await send(urlOf(name), { method: "DELETE" });
      if (!response.ok && response.status !== 404) throw await failure(response);
      await response.arrayBuffer();
    },
    async now() {
      const response = await send(`${base}?list-type=2&max-keys=1`, { method: "GET" });
      if (!response.ok) throw await failure(response);
      await response.arrayBuffer();
      const at = Date.parse(response.headers.get("date") ?? "");
      // Without a clock, nothing is old enough to be removed.
      return Number.isNaN(at) ? 0 : at;
    },
  };
}

async function readBody(response: Response, place: string): Promise<ArrayBuffer> {
  try {
    return await response.arrayBuffer();
  } catch (error) {
    throw unreachable(place, reasonOf(error), error);
  }
}

/** Reads a page of a list. Names that this program does not use are left out. */
function objectsIn(page: string, prefix: string): readonly ListedObject[] {
  return [...page.matchAll(/<Contents>(.*?)<\/Contents>/gs)].flatMap(([, text = ""]) => {
    const [, key = ""] = /<Key>([^<]*)<\/Key>/.exec(text) ?? [];
    const [, size = ""] = /<Size>(\d+)<\/Size>/.exec(text) ?? [];
    const [, at = ""] = /<LastModified>([^<]*)<\/LastModified>/.exec(text) ?? [];
    const name = unescapeXml(key).slice(prefix === "" ? 0 : prefix.length + 1);
    const storedAt = Date.parse(at);
    if (!isObjectName(name) || size === "" || Number.isNaN(storedAt)) return [];
    return [{ name, bytes: Number(size), storedAt }];
  });
}

function unescapeXml(text: string): string {
  const names: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
  return text.replace(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => names[name] ?? "");
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // fetch hides the reason in the cause.
  return error.cause instanceof Error ? error.cause.message : error.message;
}
