import { createHash } from "node:crypto";
import { ArchiveDamage } from "../../fs/damage.ts";
import type { Disk } from "../../fs/disk.ts";
import type { LogKey } from "../../session/session.ts";
import type { Damage, Verification } from "../archive-store.ts";
import { type Chunk, readChunk } from "./chunk.ts";
import { type FolderOf, foldersOf, generationNumbers, readGeneration } from "./generations.ts";
import type { Manifest, StoredFile } from "./manifest.ts";
import { countStrays } from "./tidy-session.ts";

/** Reads every byte of every generation and checks it against its hash. */
export function verifySession(disk: Disk, sessionFolder: string, session: LogKey): Verification {
  const numbers = generationNumbers(disk, sessionFolder);
  const damages: Damage[] = [];
  const manifests: Manifest[] = [];
  for (const number of numbers) {
    const found = readGeneration(disk, sessionFolder, number, session);
    if (found.kind === "good") manifests.push(found.manifest);
    else damages.push({ generation: number, path: null, from: 0, to: 0, what: found.what });
  }
  const prover = createProver(disk, foldersOf(sessionFolder));
  let files = 0;
  for (const { generation, files: kept, earlier } of manifests) {
    for (const file of [...kept, ...earlier]) {
      files++;
      for (const flaw of prover.prove(file)) damages.push({ generation, path: file.path, ...flaw });
    }
  }
  // If a manifest can't be read, its chunks look like strays, but they are not.
  const isWhole = manifests.length === numbers.length;
  const strays = isWhole ? countStrays(disk, sessionFolder, manifests) : 0;
  return {
    agent: session.agent,
    id: session.id,
    copy: session.copy,
    generations: numbers,
    files,
    bytes: prover.provenBytes(),
    damages,
    strays,
  };
}

type Flaw = Pick<Damage, "from" | "to" | "what">;

interface Prover {
  prove(file: StoredFile): readonly Flaw[];
  provenBytes(): number;
}

/** Generations share most of their files: each content is read once. */
function createProver(disk: Disk, folderOf: FolderOf): Prover {
  const known = new Map<string, readonly Flaw[]>();
  const counted = new Set<string>();
  let proven = 0;

  const read = (file: StoredFile): readonly Flaw[] => {
    const hash = createHash("sha256");
    const flaws: Flaw[] = [];
    for (const chunk of file.chunks) {
      try {
        hash.update(readChunk(disk, folderOf(chunk.generation), chunk));
        if (!counted.has(chunkName(chunk))) proven += chunk.length;
        counted.add(chunkName(chunk));
      } catch (error) {
        if (!(error instanceof ArchiveDamage)) throw error;
        flaws.push({ from: chunk.offset, to: chunk.offset + chunk.length, what: error.what });
      }
    }
    if (flaws.length === 0 && hash.digest("hex") !== file.sha256) {
      flaws.push({ from: 0, to: file.size, what: "the file does not match its hash" });
    }
    return flaws;
  };

  return {
    prove(file) {
      const content = [file.sha256, ...file.chunks.map(chunkName)].join(" ");
      const flaws = known.get(content) ?? read(file);
      known.set(content, flaws);
      return flaws;
    },
    provenBytes: () => proven,
  };
}

function chunkName({ generation, sha256 }: Chunk): string {
  return `${generation}/${sha256}`;
}
