import type { MarkdownWriter } from "../archive/keep-session.ts";
import type { Library } from "../fs/library.ts";
import { maskDeep } from "../redact/mask.ts";
import { createRedactor } from "../redact/redact.ts";
import { markdownParts } from "../render/markdown/render-markdown.ts";

/** Changes where the markdown of an unchanged session would. */
const MARKDOWN_VERSION = "4";

/** Whatever is shown on this terminal, secrets never get into the copies. */
export function markdownWriter({ config }: Pick<Library, "config">): MarkdownWriter {
  const redactor = createRedactor({ extra: config.redact });
  const masks = config.redact.length === 0 ? "" : ` ${JSON.stringify(config.redact)}`;
  return {
    version: `${MARKDOWN_VERSION}${masks}`,
    render: markdownParts,
    mask: (value) => maskDeep(value, redactor.redact),
  };
}
