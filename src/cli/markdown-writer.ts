import type { MarkdownWriter } from "../archive/keep-session.ts";
import type { Library } from "../fs/library.ts";
import { maskDeep, RULES_VERSION } from "../redact/mask.ts";
import { createRedactor } from "../redact/redact.ts";
import { markdownParts } from "../render/markdown/render-markdown.ts";

/** To be raised when the markdown of an unchanged session would change. */
const MARKDOWN_VERSION = "4";

/** Writes readable copies, always with secrets masked. */
export function markdownWriter({ config }: Pick<Library, "config">): MarkdownWriter {
  const redactor = createRedactor({ extra: config.redact });
  const masks = config.redact.length === 0 ? "" : ` ${JSON.stringify(config.redact)}`;
  return {
    version: `${MARKDOWN_VERSION}.${RULES_VERSION}${masks}`,
    render: markdownParts,
    mask: (value) => maskDeep(value, redactor.redact),
  };
}
