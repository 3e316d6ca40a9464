/**
 * Postings as they come, field by field, four bytes for most. Each goes where the last one went, so that taking one is
 * no look at memory far away, of which streams per term needed three; the terms get theirs when all are there.
 */
export interface PostingsLog {
  readonly bytes: number;
  /** Adds a field with its first `count` terms; `freqOf` has the frequency of term n at n × `step` + `at`. */
  add(place: number, terms: Uint32Array, count: number, freqs: Uint32Array, step: number, at: number): void;
  /**
   * Puts all postings, as place and frequency, where their terms have room: that of term n begins at posting
   * number nexts[n × `step` + `at`], which counts up.
   */
  spread(to: Uint32Array, nexts: Uint32Array, step: number, at: number): void;
}

/** Of an entry: the term's number above, its frequency less one below; what does not fit there follows. */
const FREQ_BITS = 3;
const LONG_FREQ: number = (1 << FREQ_BITS) - 1;
/** Integers before the entries of a field: its place, and how many entries. */
const HEAD = 2;

/** Chunks, and not one piece that doubles: that needed three times the memory while it was copied. */
const FIRST_CHUNK = 4_096;
const LARGEST_CHUNK = 262_144;

interface Chunk {
  readonly entries: Uint32Array;
  used: number;
}

export function createPostingsLog(): PostingsLog {
  let chunk: Chunk = { entries: new Uint32Array(FIRST_CHUNK), used: 0 };
  const chunks: Chunk[] = [chunk];
  let bytes = 0;

  const withRoom = (wanted: number): Chunk => {
    const { entries, used } = chunk;
    if (used + wanted <= entries.length) return chunk;
    const size = Math.max(wanted, Math.min(entries.length * 2, LARGEST_CHUNK));
    chunk = { entries: new Uint32Array(size), used: 0 };
    chunks.push(chunk);
    return chunk;
  };

  return {
    get bytes() {
      return bytes;
    },
    add(place, terms, count, freqs, step, at) {
      const to = withRoom(HEAD + count * 2);
      const { entries } = to;
      let next = to.used;
      entries[next++] = place;
      entries[next++] = count;
      for (let index = 0; index < count; index++) {
        const term = terms[index] ?? 0;
        const more = (freqs[term * step + at] ?? 0) - 1;
        if (more < LONG_FREQ) entries[next++] = (term << FREQ_BITS) | more;
        else {
          entries[next++] = (term << FREQ_BITS) | LONG_FREQ;
          entries[next++] = more;
        }
      }
      bytes += (next - to.used) * 4;
      to.used = next;
    },
    spread(to, nexts, step, at) {
      for (const { entries, used } of chunks) spreadChunk(entries, used, to, nexts, step, at);
    },
  };
}

function spreadChunk(
  entries: Uint32Array,
  used: number,
  to: Uint32Array,
  nexts: Uint32Array,
  step: number,
  at: number,
): void {
  let from = 0;
  while (from < used) {
    const place = entries[from] ?? 0;
    const count = entries[from + 1] ?? 0;
    from += HEAD;
    for (let left = count; left > 0; left--) {
      const entry = entries[from++] ?? 0;
      let more = entry & LONG_FREQ;
      if (more === LONG_FREQ) more = entries[from++] ?? 0;
      const term = (entry >>> FREQ_BITS) * step + at;
      const next = nexts[term] ?? 0;
      nexts[term] = next + 1;
      to[next * 2] = place;
      to[next * 2 + 1] = more + 1;
    }
  }
}
