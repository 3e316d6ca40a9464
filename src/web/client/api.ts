import type { ErrorAnswer } from "../server/answers.ts";

/** An error in the server's answer, in words for the user. */
export class CallError extends Error {
  readonly hint: string | null;
  /** The HTTP status; 0 if the server can't be reached. */
  readonly status: number;

  constructor(message: string, hint: string | null, status: number) {
    super(message);
    this.hint = hint;
    this.status = status;
  }
}

const TOKEN = "sessions-token";

/**
 * Takes the token from the fragment of the address, where `sessions serve` put it, and keeps it for reloads and other
 * tabs. It is worthless once that server has ended. The rest of the fragment is the place to show.
 */
export function takeToken(): void {
  const given = new URLSearchParams(location.hash.slice(1));
  const token = given.get("token");
  if (token === null || !/^[\w-]+$/.test(token)) return;
  localStorage.setItem(TOKEN, token);
  const place = given.get("to") ?? "/";
  history.replaceState(null, "", place.startsWith("/") ? `#${place}` : "#/");
}

export function hasToken(): boolean {
  return localStorage.getItem(TOKEN) !== null;
}

type Values = Readonly<Record<string, string | number | undefined>>;

/** Makes a call that reads. */
export async function get<T>(call: string, values: Values = {}, signal?: AbortSignal): Promise<T> {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value !== undefined) query.set(name, String(value));
  return send<T>(`/api/${call}?${query}`, { signal: signal ?? null });
}

/** Makes a call that writes, or returns a document. */
export async function post<T>(call: string, body: object): Promise<T> {
  return send<T>(`/api/${call}`, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json" },
  });
}

async function send<T>(path: string, request: RequestInit): Promise<T> {
  const headers = { ...request.headers, "x-sessions-token": localStorage.getItem(TOKEN) ?? "" };
  const response = await reach(path, { ...request, headers });
  if (response.ok) return response.json();
  if (response.status === 401) localStorage.removeItem(TOKEN);
  const { error }: Partial<ErrorAnswer> = await response.json().catch(() => ({}));
  throw new CallError(error?.message ?? response.statusText, error?.hint ?? null, response.status);
}

async function reach(path: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(path, request);
  } catch (error) {
    if (request.signal?.aborted) throw error;
    throw new CallError("The server does not answer", "start `sessions serve` again", 0);
  }
}

/** Whether the error is the end of a call that was given up. */
export function isAborted(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}
