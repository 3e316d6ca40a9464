import { Buffer } from "node:buffer";
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";
import { ArchiveDamage } from "../fs/damage.ts";

/*
 * Seals objects, so that only machines with the key can read them. An object is `SESS1`, a nonce of 12 random bytes,
 * the AES-256-GCM of the content, and a tag of 16 bytes, with its name as additional data: an object that was moved
 * to another name does not open. Names of content are HMAC-SHA-256 of the content's hash: the same content has the
 * same name, and without the key nobody can guess content by its name.
 */

/** The key of a repository: 32 random bytes. */
export const KEY_BYTES = 32;

const MAGIC = Buffer.from("SESS1");
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** How many bytes an object is longer than its content. */
export const SEAL_BYTES: number = MAGIC.length + NONCE_BYTES + TAG_BYTES;

export interface ObjectCipher {
  /** Proves that somebody has the key, without revealing anything about it. */
  readonly check: string;
  /** The name of content, by its SHA-256 in hex. */
  nameOf(sha256: string): string;
  seal(name: string, content: Uint8Array): Buffer;
  /** Throws `ArchiveDamage` if it was not sealed under this name with this key. */
  open(name: string, bytes: Uint8Array): Buffer;
}

export function createObjectCipher(key: Uint8Array): ObjectCipher {
  const derive = (use: string): Buffer =>
    Buffer.from(hkdfSync("sha256", key, Buffer.alloc(0), `sessions repository 1: ${use}`, KEY_BYTES));
  const contentKey = derive("content");
  const nameKey = derive("names");
  return {
    check: createHmac("sha256", derive("check")).update("check").digest("hex"),
    nameOf: (sha256) => createHmac("sha256", nameKey).update(sha256).digest("hex"),
    seal(name, content) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", contentKey, nonce);
      cipher.setAAD(Buffer.from(name));
      return Buffer.concat([MAGIC, nonce, cipher.update(content), cipher.final(), cipher.getAuthTag()]);
    },
    open(name, bytes) {
      const from = MAGIC.length + NONCE_BYTES;
      const to = bytes.length - TAG_BYTES;
      if (to < from) throw new ArchiveDamage("it is too short");
      if (!MAGIC.equals(bytes.subarray(0, MAGIC.length)))
        throw new ArchiveDamage("it is no object of a repository");
      const cipher = createDecipheriv("aes-256-gcm", contentKey, bytes.subarray(MAGIC.length, from));
      cipher.setAAD(Buffer.from(name));
      cipher.setAuthTag(bytes.subarray(to));
      const content = cipher.update(bytes.subarray(from, to));
      try {
        return Buffer.concat([content, cipher.final()]);
      } catch (error) {
        throw new ArchiveDamage("it was not sealed with this key under this name, or it was changed", {
          cause: error,
        });
      }
    },
  };
}
