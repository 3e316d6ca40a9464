/** A tool result, or a part of one, that `flatten` moved out of a log. */
export interface FlatContent {
  readonly toolUseId: string;
  readonly tool: string;
  readonly file: string | undefined;
  readonly kind: "text" | "image" | "document";
  readonly mediaType: string | null;
  readonly bytes: number;
  /** For texts. */
  readonly lines: number;
  /** Its number among the results of the same call, from 1. */
  readonly number: number;
}

const START = "[FLATTENED id=";

/** Writes the marker that replaces a text or an image in the log: it says what it was, and how to get it back. */
export function flatMarker(session: string, content: FlatContent): string {
  const { toolUseId, tool, file, kind, mediaType, bytes, lines, number } = content;
  const id = plain(toolUseId);
  const what =
    kind === "text" ? `text ${bytes} B, ${lines} lines` : `${kind} ${plain(mediaType ?? "")} ${bytes} B`;
  const which = number === 1 ? id : `${id}#${number}`;
  return (
    `${START}${id} tool=${plain(tool) || "unknown"}${file === undefined ? "" : ` file=${plain(file)}`}` +
    ` | ${what} | sessions retrieve ${plain(session)} ${which}]`
  );
}

export function isFlatMarker(text: string): boolean {
  return text.startsWith(START);
}

/** The content of a marker. Its names have been through `plain`. */
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

/** Whether this content matches all of the marker. */
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

/** Names come from logs and may contain anything; a marker must stay one line with parts that can be parsed. */
function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\s|\]]+/gu, "_").slice(0, 300);
}

/** Reads the name of a block on the command line: the id of its call, and `#number` if there are several. */
export function parseBlockName(name: string): { readonly toolUseId: string; readonly number: number | null } {
  const match = /^(.*)#([1-9]\d{0,5})$/.exec(name);
  return match === null
    ? { toolUseId: name, number: null }
    : { toolUseId: match[1] ?? "", number: Number(match[2]) };
}
