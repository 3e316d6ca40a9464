import { apiMessages } from "../agents/api-messages.ts";
import { exitCodes, UserError } from "../errors.ts";
import { rawLines } from "../jsonl/lines.ts";
import { loadedParts } from "../session/session-context.ts";
import type { CountTokens } from "../shrink/flatten-session.ts";

const DEFAULT_BASE = "https://api.anthropic.com";
/** Used for sessions of models that the API does not know. */
const DEFAULT_MODEL = "claude-sonnet-4-5";
const TIMEOUT_MS = 60_000;

/** Counts tokens with the API. Nothing else in this program uses the network, and this only with --exact-tokens. */
export function exactTokens(variables: Readonly<Record<string, string | undefined>>): CountTokens {
  const key = variables.ANTHROPIC_API_KEY ?? "";
  const base = (variables.ANTHROPIC_BASE_URL ?? "") || DEFAULT_BASE;
  if (key === "") {
    throw new UserError("Cannot count tokens exactly: ANTHROPIC_API_KEY is not set", {
      exitCode: exitCodes.wrongUsage,
      hint: "set it, or leave out --exact-tokens: then tokens are estimated",
    });
  }
  return async (_library, files, session, chunks) => {
    const messages = apiMessages(files.agent, rawLines(chunks()), loadedParts(session));
    if (messages.length === 0) return 0;
    const model = session.model?.startsWith("claude-") === true ? session.model : DEFAULT_MODEL;
    return ask(`${base.replace(/\/+$/, "")}/v1/messages/count_tokens`, key, { model, messages });
  };
}

async function ask(url: string, key: string, body: object): Promise<number> {
  let answer: Response;
  try {
    answer = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": key, "anthropic-version": "2023-06-01" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  } catch (error) {
    throw failed(`${url} does not answer`, error);
  }
  const value: unknown = await answer.json().catch(() => undefined);
  if (
    typeof value === "object" &&
    value !== null &&
    "input_tokens" in value &&
    typeof value.input_tokens === "number"
  )
    return value.input_tokens;
  throw failed(`${url} answered with status ${answer.status}`);
}

function failed(why: string, cause?: unknown): UserError {
  return new UserError(`Cannot count tokens exactly: ${why}; nothing was changed`, {
    exitCode: exitCodes.refused,
    hint: "leave out --exact-tokens: then tokens are estimated",
    cause,
  });
}
