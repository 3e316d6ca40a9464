import { Buffer } from "node:buffer";
import { isObject } from "../../jsonl/json-line.ts";
import type { EngineFailure } from "../engine.ts";

/** How a cluster is reached. Everything that a library must not know by itself is passed in. */
export interface ClusterOptions {
  /** Addresses of its nodes, or of a load balancer. If one does not answer, the next is asked. */
  readonly urls: readonly string[];
  readonly credentials?: BasicAuth | undefined;
  readonly fetch: typeof fetch;
  readonly now: () => number;
  /** A random number between 0 and 1: retries of many clients must not come at the same time. */
  readonly random: () => number;
  readonly wait: (ms: number) => Promise<void>;
  /** The time limits of one request, and of all its retries together. */
  readonly deadlineMs?: number;
  readonly patienceMs?: number;
}

export interface BasicAuth {
  readonly user: string;
  readonly password: string;
}

export interface ClusterRequest {
  readonly method: "GET" | "PUT" | "POST" | "DELETE";
  readonly path: string;
  /** JSON, or lines of JSON that are ready to be sent. */
  readonly body?: object | string;
  readonly signal?: AbortSignal | undefined;
}

/** An answer of the cluster. Statuses that callers must handle, such as 404 and 409, are not failures. */
export interface ClusterReply {
  readonly kind: "reply";
  readonly status: number;
  readonly body: ClusterBody;
  /** Bytes of the answer. */
  readonly bytes: number;
}

/** The cluster's JSON; `valueIn` reads it. */
export type ClusterBody = Readonly<Record<string, unknown>>;

type ClusterFailure = Exclude<EngineFailure, { readonly kind: "damaged" }>;

export interface Cluster {
  /** Retries if that can help: no connection, no answer in time, too many requests, a node that is shutting down. */
  send(request: ClusterRequest): Promise<ClusterReply | ClusterFailure>;
  /** Names it in messages: without credentials. */
  readonly name: string;
  readonly now: () => number;
  readonly random: () => number;
  /** Waits before the next attempt; false if the time is up. `since`: when the first attempt was made. */
  backOff(attempt: number, since: number, signal?: AbortSignal): Promise<boolean>;
}

const DEADLINE_MS = 30_000;
const PATIENCE_MS = 60_000;
const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 5_000;

export function createCluster(options: ClusterOptions): Cluster {
  const { urls, now, random, deadlineMs = DEADLINE_MS, patienceMs = PATIENCE_MS } = options;
  const name = urls.map((url) => new URL(url).host).join(", ");
  let node = 0;

  const backOff: Cluster["backOff"] = async (attempt, since, signal) => {
    const longest = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** attempt);
    const delay = longest / 2 + (random() * longest) / 2;
    if (now() + delay - since > patienceMs) return false;
    await options.wait(delay);
    signal?.throwIfAborted();
    return true;
  };

  const attemptOnce = async (request: ClusterRequest): Promise<Attempt> => {
    const { signal, body } = request;
    const base = urls[node % urls.length] ?? "";
    const timeout = AbortSignal.timeout(deadlineMs);
    let response: Response;
    let bytes: Buffer;
    try {
      response = await options.fetch(base.replace(/\/+$/, "") + request.path, {
        method: request.method,
        headers: headersOf(body, options.credentials),
        signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
        redirect: "error",
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      bytes = Buffer.from(await response.arrayBuffer());
    } catch (error) {
      signal?.throwIfAborted();
      if (isForbidden(error))
        return {
          kind: "denied",
          why: "can't be reached by this program: Deno needs --allow-net with its address",
        };
      node++;
      const why = timeout.aborted ? `no answer within ${deadlineMs / 1000} s` : reasonOf(error);
      return { kind: "again", why };
    }
    return judge(response.status, bytes);
  };

  return {
    name,
    now,
    random,
    backOff,
    async send(request) {
      request.signal?.throwIfAborted();
      const since = now();
      for (let attempt = 0; ; attempt++) {
        const result = await attemptOnce(request);
        if (result.kind === "denied") return { kind: "denied", what: `${name} ${result.why}` };
        if (result.kind === "reply") return result;
        if (await backOff(attempt, since, request.signal)) continue;
        return { kind: "unreachable", what: `${name} does not answer (${result.why})` };
      }
    },
  };
}

type Attempt =
  | ClusterReply
  | { readonly kind: "again"; readonly why: string }
  | { readonly kind: "denied"; readonly why: string };

function headersOf(
  body: object | string | undefined,
  credentials: BasicAuth | undefined,
): Readonly<Record<string, string>> {
  const type = typeof body === "string" ? "application/x-ndjson" : "application/json";
  const pair = credentials && Buffer.from(`${credentials.user}:${credentials.password}`).toString("base64");
  return {
    ...(body === undefined ? {} : { "content-type": type }),
    ...(pair === undefined ? {} : { authorization: `Basic ${pair}` }),
  };
}

const AGAIN: ReadonlySet<number> = new Set([429, 502, 503, 504]);

function judge(status: number, bytes: Buffer): Attempt {
  const body = parse(bytes);
  // A block of an index (its disk is full, it is being reindexed) does not depend on the user or on the number of
  // requests.
  const isBlocked = body !== undefined && textIn(body, "error", "type") === "cluster_block_exception";
  if (isBlocked) return { kind: "reply", status, body, bytes: bytes.length };
  if (status === 401) return { kind: "denied", why: "does not accept the user or the password" };
  if (status === 403) return { kind: "denied", why: "does not allow this user to do that" };
  if (status === 407) return { kind: "denied", why: "is behind a proxy that asks for a password" };
  const why = status === 429 ? "too many requests" : `status ${status}`;
  if (AGAIN.has(status)) return { kind: "again", why };
  if (body === undefined) return { kind: "again", why: `${why}, and not JSON: it is not OpenSearch` };
  return { kind: "reply", status, body, bytes: bytes.length };
}

function parse(bytes: Buffer): ClusterBody | undefined {
  try {
    const body: unknown = JSON.parse(bytes.toString("utf8"));
    return isObject(body) ? body : undefined;
  } catch {
    return undefined;
  }
}

/** A connection error without the address, which may contain more than the host. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const code = isObject(cause) && typeof cause.code === "string" ? cause.code : undefined;
  return code ?? "the connection failed";
}

/** Whether the runtime itself refused to connect: Deno does, for hosts without permission. */
function isForbidden(error: unknown): boolean {
  const isIt = (value: unknown): boolean => value instanceof Error && value.name === "NotCapable";
  return isIt(error) || (error instanceof Error && isIt(error.cause));
}

/** Reads a value inside JSON of the cluster by its path; undefined if there is none. */
export function valueIn(body: unknown, ...path: readonly (string | number)[]): unknown {
  let value = body;
  for (const step of path) {
    if (Array.isArray(value)) value = value[Number(step)];
    else value = isObject(value) ? value[step] : undefined;
  }
  return value;
}

export function textIn(body: unknown, ...path: readonly (string | number)[]): string {
  const value = valueIn(body, ...path);
  return typeof value === "string" ? value : "";
}

export function numberIn(body: unknown, ...path: readonly (string | number)[]): number {
  const value = valueIn(body, ...path);
  return typeof value === "number" ? value : 0;
}

export function listIn(body: unknown, ...path: readonly (string | number)[]): readonly unknown[] {
  const value = valueIn(body, ...path);
  return Array.isArray(value) ? value : [];
}

/** Parameter of a search: an error instead of the answer of some shards alone. */
export const WHOLE = "allow_partial_search_results=false";

/** The reason for a refused request, in the cluster's words. */
export function refusal({ status, body }: ClusterReply): string {
  const reason = textIn(body, "error", "reason") || textIn(body, "error");
  return `status ${status}${reason === "" ? "" : `: ${reason.slice(0, 300)}`}`;
}
