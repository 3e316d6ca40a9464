import { Buffer } from "node:buffer";
import type { DocumentKind, FieldTable } from "../ranking/index-fields.ts";
import { createByteReader } from "./byte-reader.ts";
import { type ByteWriter, createByteWriter } from "./byte-writer.ts";

/** A field whose text is kept, with its place in the table. */
export interface KeptField {
  readonly place: number;
  readonly name: string;
}

export function keptFields(fields: FieldTable, kind: DocumentKind, stored: true | "apart"): KeptField[] {
  return fields.flatMap((field, place) =>
    field.kind === kind && field.stored === stored ? [{ place, name: field.name }] : [],
  );
}

/** Writes the texts of a document that are kept: field, length, UTF-8, one after the other. */
export function encodeDocumentText(
  out: ByteWriter,
  kept: readonly KeptField[],
  texts: Readonly<Record<string, string>>,
): void {
  out.clear();
  for (const { place, name } of kept) {
    const text = texts[name];
    if (text === undefined || text === "") continue;
    out.varint(place);
    out.text(text);
  }
}

export function decodeDocumentText(bytes: Uint8Array, fields: FieldTable): Record<string, string> {
  const reader = createByteReader(bytes);
  const texts: Record<string, string> = {};
  while (!reader.atEnd) {
    const name = fields[reader.varint()]?.name ?? "";
    const text = reader.bytes(reader.varint());
    texts[name] = Buffer.from(text.buffer, text.byteOffset, text.byteLength).toString("utf8");
  }
  return texts;
}

/** A writer to be used again and again for `encodeDocumentText`. */
export function createTextScratch(): ByteWriter {
  return createByteWriter(64 * 1024);
}
