import type { ListResourcesResult } from "@modelcontextprotocol/server";
import { isAgent } from "../../agents/agents.ts";
import { exitCodes, type OpenHistory, UserError } from "../../index.ts";
import { cleanLine, cleanText } from "../../redact/clean-text.ts";
import { QUOTE_HEAD, quoteLines } from "../../render/agent/quote-text.ts";

export const resourceTemplate = {
  uriTemplate: "sessions://{agent}/{id}",
  name: "session",
  title: "A past session as markdown",
  description: "A past coding session as markdown: summary, requests, files, commands and the conversation.",
  mimeType: "text/markdown",
} as const;

const PAGE = 50;
/** About 25,000 tokens, the most that clients accept. */
const MAX_CHARS = 100_000;

/** The newest sessions, a page at a time. */
export async function listResources(
  history: OpenHistory,
  cursor: string | undefined,
): Promise<ListResourcesResult> {
  const offset = /^\d{1,9}$/.test(cursor ?? "0") ? Number(cursor ?? 0) : undefined;
  if (offset === undefined) {
    throw new UserError(`Cannot go on from the cursor ${JSON.stringify(cursor)}`, {
      exitCode: exitCodes.wrongUsage,
    });
  }
  const { rows, total } = await history.list({ offset, limit: PAGE });
  const resources = rows.map(({ digest }) => ({
    uri: `sessions://${digest.agent}/${encodeURIComponent(digest.id)}`,
    name: cleanLine(digest.title ?? digest.id),
    description: cleanLine(`${digest.agent} session in ${digest.project ?? "no project"}`),
    mimeType: resourceTemplate.mimeType,
  }));
  const next = offset + rows.length;
  return next < total ? { resources, nextCursor: String(next) } : { resources };
}

/** Reads a session as markdown, each line quoted. A long one is cut, which its first line states. */
export async function readResource(history: OpenHistory, uri: string): Promise<string> {
  const [, agent = "", id = ""] = /^sessions:\/\/([^/?#]+)\/([^/?#]+)$/.exec(uri) ?? [];
  if (!isAgent(agent)) {
    throw new UserError(`Cannot read ${JSON.stringify(uri)}: it is not the address of a session`, {
      exitCode: exitCodes.nothingFound,
      hint: "write sessions://<agent>/<id>, with an id from list_sessions",
    });
  }
  const { parts } = await history.export(`${agent}:${decodeId(id)}`, { format: "md" });
  let text = "";
  for (const part of parts()) {
    text += part;
    if (text.length > MAX_CHARS) break;
  }
  const cut = text.length > MAX_CHARS ? ` Only its start: read_session reads the rest.` : "";
  const quoted = quoteLines(cleanText(text.slice(0, MAX_CHARS)).replace(/[\ud800-\udbff]$/, ""));
  return `${[`${QUOTE_HEAD}${cut}`, "", ...quoted].join("\n")}\n`;
}

function decodeId(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}
