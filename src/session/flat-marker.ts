/** What was moved out of a log. */
export interface FlatContent {
  readonly toolUseId: string;
  readonly tool: string;
  readonly file: string | undefined;
  readonly kind: "text" | "image" | "document";
  readonly mediaType: string | null;
  readonly bytes: number;
  /** Of texts. */
  readonly lines: number;
  /** Which one of its call it is, from 1. */
  readonly number: number;
}

const BEGINNING = "[FLATTENED id=";

/** The words that stay in the place of a text or an image: what it was, and how to get it back. */
export function flatMarker(session: string, content: FlatContent): string {
  const { toolUseId, tool, file, kind, mediaType, bytes, lines, number } = content;
  const id = plain(toolUseId);
  const what =
    kind === "text" ? `text ${bytes} B, ${lines} lines` : `${kind} ${plain(mediaType ?? "")} ${bytes} B`;
  const which = number === 1 ? id : `${id}#${number}`;
  return (
    `${BEGINNING}${id} tool=${plain(tool) || "unknown"}${file === undefined ? "" : ` file=${plain(file)}`}` +
    ` | ${what} | sessions retrieve ${plain(session)} ${which}]`
  );
}

export function isFlatMarker(text: string): boolean {
  return text.startsWith(BEGINNING);
}

/** What a marker says. Its names are as `plain` makes them. */
export interface FlatMarker
  extends Pick<FlatContent, "toolUseId" | "kind" | "mediaType" | "bytes" | "lines" | "number"> {
  readonly session: string;
}

const MARKER =
  /^\[FLATTENED id=(\S*) tool=\S+(?: file=\S*)? \| (?:text (\d+) B, (\d+) lines|(image|document) (\S*) (\d+) B) \| sessions retrieve (\S+) (\S*)\]$/;

/** Reads a marker; undefined if the text is anything else. */
export function parseFlatMarker(text: string): FlatMarker | undefined {
  const match = isFlatMarker(text) ? MARKER.exec(text) : null;
  if (match === null) return undefined;
  const [, toolUseId = "", textBytes, lines, kind, mediaType, mediaBytes, session = "", name = ""] = match;
  const number = name === toolUseId ? 1 : (parseBlockName(name).number ?? 1);
  return kind === "image" || kind === "document"
    ? { toolUseId, kind, mediaType: mediaType ?? "", bytes: Number(mediaBytes), lines: 0, number, session }
    : {
        toolUseId,
        kind: "text",
        mediaType: null,
        bytes: Number(textBytes),
        lines: Number(lines),
        number,
        session,
      };
}

/** Is this what the marker stands for, by all that the marker says of it? */
export function fitsMarker(marker: FlatMarker, content: Omit<FlatContent, "tool" | "file">): boolean {
  return (
    marker.toolUseId === plain(content.toolUseId) &&
    marker.kind === content.kind &&
    (marker.mediaType ?? "") === plain(content.mediaType ?? "") &&
    marker.bytes === content.bytes &&
    marker.lines === content.lines &&
    marker.number === content.number
  );
}

/** Names come out of logs: whatever they hold, a marker is one line and its parts can be told apart. */
function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\s|\]]+/gu, "_").slice(0, 300);
}

/** A name of a block on the command line: the id of its call, and its number where there are several. */
export function parseBlockName(name: string): { readonly toolUseId: string; readonly number: number | null } {
  const match = /^(.*)#([1-9]\d{0,5})$/.exec(name);
  return match === null
    ? { toolUseId: name, number: null }
    : { toolUseId: match[1] ?? "", number: Number(match[2]) };
}
