import { Buffer } from "node:buffer";

const RAW_BLOCK = 100_000;

/** A frame of Zstandard with blocks that are stored as they are: Node 20 can't compress any. */
export function packWithoutCompression(bytes: Buffer): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt32LE(bytes.length);
  const blocks: Buffer[] = [];
  for (let from = 0; from < bytes.length; from += RAW_BLOCK) {
    const block = bytes.subarray(from, from + RAW_BLOCK);
    const head = Buffer.alloc(3);
    head.writeUIntLE(block.length * 8 + Number(from + RAW_BLOCK >= bytes.length), 0, 3);
    blocks.push(head, block);
  }
  return Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xa0]), size, ...blocks]);
}
