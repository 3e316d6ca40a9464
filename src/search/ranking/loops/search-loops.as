/*
 * The innermost loops of a search, in AssemblyScript; `npm run build:loops` compiles them. A search is a new process,
 * so its JavaScript runs in V8's interpreter, and a word that is nearly everywhere makes these loops run a hundred
 * thousand times. WebAssembly is compiled at once and takes a tenth of the time.
 *
 * All data is in memory that the callers lay out (scorer.ts, aggregate-by-session.ts). Arguments are addresses; 0 means
 * none.
 */

/** Documents of one kind with their scores; `docs` are those in the set, in no order. */
@unmanaged
class DocumentSet {
  /** 1 for each document in the set. */
  has: usize;
  docs: usize;
  scores: usize;
  /** `words` numbers of 32 bits per document: which clauses and which terms it matches. */
  bits: usize;
  words: u32;
  count: u32;
}

/** Where `readVarint` reads next. */
let position: usize = 0;

@inline
function readVarint(): u32 {
  let byte: u32 = load<u8>(position++);
  if (byte < 0x80) return byte;
  let value = byte & 0x7f;
  let shift: u32 = 7;
  do {
    byte = load<u8>(position++);
    value |= (byte & 0x7f) << shift;
    shift += 7;
  } while (byte >= 0x80 && shift < 35);
  return value;
}

/**
 * Decodes the postings of a group (see postings.ts) into numbers and frequencies of the documents that are not deleted.
 * Returns how many those are, or -1 if the postings are invalid.
 */
export function decode(
  from: usize,
  end: usize,
  count: u32,
  documents: u32,
  gone: usize,
  docs: usize,
  freqs: usize,
): i32 {
  position = from;
  let doc: u32 = <u32>-1;
  let kept: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const step = readVarint();
    doc += (step >>> 1) + 1;
    const freq: u32 = step & 1 ? readVarint() + 2 : 1;
    if (position > end || doc >= documents) return -1;
    if (gone != 0 && load<u8>(gone + doc) == 1) continue;
    store<u32>(docs + (kept << 2), doc);
    store<u32>(freqs + (kept << 2), freq);
    kept++;
  }
  return position == end ? kept : -1;
}

/** Looks up the length of each document; lengths take 1, 2 or 4 bytes: `shift` 0 to 2. */
export function gatherLengths(docs: usize, count: u32, from: usize, shift: u32, lengths: usize): void {
  for (let i: u32 = 0; i < count; i++) {
    const at = from + ((<usize>load<u32>(docs + (i << 2))) << shift);
    const length: u32 = shift == 0 ? load<u8>(at) : shift == 1 ? load<u16>(at) : load<u32>(at);
    store<u32>(lengths + (i << 2), length);
  }
}

/** Adds the BM25+ score and two bits to each document; `base` is the number of the first document of its part. */
export function score(
  set: DocumentSet,
  docs: usize,
  freqs: usize,
  lengths: usize,
  count: u32,
  base: u32,
  weight: f64,
  k: f64,
  d: f64,
  flat: f64,
  slope: f64,
  bit: u32,
  clauseBit: u32,
): void {
  for (let i: usize = 0; i < <usize>count << 2; i += 4) {
    const freq = <f64>load<u32>(freqs + i);
    const length = <f64>load<u32>(lengths + i);
    const value = weight * (d + (freq * (k + 1)) / (freq + flat + slope * length));
    const doc = base + load<u32>(docs + i);
    const at = set.scores + ((<usize>doc) << 3);
    store<f64>(at, enter(set, doc) ? value : load<f64>(at) + value);
    setBit(set, doc, bit);
    setBit(set, doc, clauseBit);
  }
}

/** Puts a document into a set; returns false if it was there already. */
@inline
function enter(set: DocumentSet, doc: u32): bool {
  if (load<u8>(set.has + doc) == 1) return false;
  store<u8>(set.has + doc, 1);
  store<u32>(set.docs + ((<usize>set.count) << 2), doc);
  set.count++;
  return true;
}

@inline
function setBit(set: DocumentSet, doc: u32, bit: u32): void {
  const at = set.bits + ((<usize>(doc * set.words + (bit >>> 5))) << 2);
  store<u32>(at, load<u32>(at) | (1 << (bit & 31)));
}

/** Adds the score and the bits that a document has in another set. */
@inline
function merge(into: DocumentSet, other: DocumentSet, doc: u32): void {
  const score = into.scores + ((<usize>doc) << 3);
  store<f64>(score, load<f64>(score) + load<f64>(other.scores + ((<usize>doc) << 3)));
  for (let word: u32 = 0; word < into.words; word++) {
    const at = (<usize>(doc * into.words + word)) << 2;
    store<u32>(into.bits + at, load<u32>(into.bits + at) | load<u32>(other.bits + at));
  }
}

/** Adds the documents of another set; `bit` is set in each, unless it is -1. */
export function addSet(into: DocumentSet, other: DocumentSet, bit: i32): void {
  for (let i: u32 = 0; i < other.count; i++) {
    const doc = load<u32>(other.docs + (i << 2));
    enter(into, doc);
    merge(into, other, doc);
    if (bit >= 0) setBit(into, doc, bit);
  }
}

/** Keeps the documents that are in both sets. */
export function intersectSet(into: DocumentSet, other: DocumentSet): void {
  let kept: u32 = 0;
  for (let i: u32 = 0; i < into.count; i++) {
    const doc = load<u32>(into.docs + (i << 2));
    if (load<u8>(other.has + doc) == 0) {
      leave(into, doc);
      continue;
    }
    store<u32>(into.docs + (kept++ << 2), doc);
    merge(into, other, doc);
  }
  into.count = kept;
}

/** Removes the documents that are in the other set. */
export function subtractSet(from: DocumentSet, other: DocumentSet): void {
  let kept: u32 = 0;
  for (let i: u32 = 0; i < from.count; i++) {
    const doc = load<u32>(from.docs + (i << 2));
    if (load<u8>(other.has + doc) == 1) leave(from, doc);
    else store<u32>(from.docs + (kept++ << 2), doc);
  }
  from.count = kept;
}

@inline
function leave(set: DocumentSet, doc: u32): void {
  store<u8>(set.has + doc, 0);
  store<f64>(set.scores + ((<usize>doc) << 3), 0);
  memory.fill(set.bits + ((<usize>(doc * set.words)) << 2), 0, (<usize>set.words) << 2);
}

/** Counts the bits that are set from one up to, not including, another. */
function countBits(bits: usize, from: u32, to: u32): u32 {
  let count: u32 = 0;
  for (let bit = from; bit < to; ) {
    const shift = bit & 31;
    const span = min<u32>(32 - shift, to - bit);
    let word = load<u32>(bits + ((<usize>(bit >>> 5)) << 2)) >>> shift;
    if (span < 32) word &= (1 << span) - 1;
    count += popcnt<u32>(word);
    bit += span;
  }
  return count;
}

/** Multiplies each score by the number of its document's bits from one up to, not including, another. */
export function multiplyByBits(set: DocumentSet, from: u32, to: u32): void {
  for (let i: u32 = 0; i < set.count; i++) {
    const doc = load<u32>(set.docs + (i << 2));
    const at = set.scores + ((<usize>doc) << 3);
    store<f64>(at, load<f64>(at) * <f64>countBits(set.bits + ((<usize>(doc * set.words)) << 2), from, to));
  }
}

/** Returns the session of a document; if `sessionOf` is 0, a document has the number of its session. */
@inline
function sessionAt(sessionOf: usize, doc: u32): u32 {
  return sessionOf == 0 ? doc : load<u32>(sessionOf + ((<usize>doc) << 2));
}

/**
 * Lists the sessions of the documents that pass, unless they are refused or were `seen` before. Returns how many there
 * are.
 */
export function collectSessions(
  docs: usize,
  count: u32,
  sessionOf: usize,
  passes: usize,
  refused: usize,
  seen: usize,
  list: usize,
): u32 {
  let listed: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const doc = load<u32>(docs + (i << 2));
    if (passes != 0 && load<u8>(passes + doc) == 0) continue;
    const session = sessionAt(sessionOf, doc);
    if (load<u8>(seen + session) == 1 || load<u8>(refused + session) == 1) continue;
    store<u8>(seen + session, 1);
    store<u32>(list + (listed++ << 2), session);
  }
  return listed;
}

/**
 * Aggregates documents by session: the best score, all bits, and the most clauses (the first bits) that one document
 * has. Only documents that pass count, of sessions that are not refused; `counts` is set to 1 for those.
 */
export function aggregateDocuments(
  docs: usize,
  count: u32,
  scores: usize,
  bits: usize,
  words: u32,
  clauses: u32,
  sessionOf: usize,
  passes: usize,
  refused: usize,
  counts: usize,
  best: usize,
  sessionBits: usize,
  maxClauses: usize,
): void {
  for (let i: u32 = 0; i < count; i++) {
    const doc = load<u32>(docs + (i << 2));
    if (passes != 0 && load<u8>(passes + doc) == 0) continue;
    const session = sessionAt(sessionOf, doc);
    if (load<u8>(refused + session) == 1) continue;
    store<u8>(counts + doc, 1);
    const score = load<f64>(scores + ((<usize>doc) << 3));
    const at = best + ((<usize>session) << 3);
    if (score > load<f64>(at)) store<f64>(at, score);
    const own = bits + ((<usize>(doc * words)) << 2);
    const all = sessionBits + ((<usize>(session * words)) << 2);
    for (let word: usize = 0; word < <usize>words << 2; word += 4) {
      store<u32>(all + word, load<u32>(all + word) | load<u32>(own + word));
    }
    const has = countBits(own, 0, clauses);
    const most = maxClauses + ((<usize>session) << 2);
    if (has > load<u32>(most)) store<u32>(most, has);
  }
}

/** Counts how many of the first bits each session has. */
export function countClauses(sessionBits: usize, words: u32, clauses: u32, sessions: u32, counts: usize): void {
  for (let session: u32 = 0; session < sessions; session++) {
    store<u32>(counts + (session << 2), countBits(sessionBits + ((<usize>(session * words)) << 2), 0, clauses));
  }
}

/**
 * Lists the sets of letters, one bit per letter, that lack at most `most` of the wanted letters and have at most as many
 * others. Returns how many those are.
 */
export function listNear(letters: usize, count: u32, wanted: u32, most: u32, list: usize): u32 {
  let listed: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const has = load<u32>(letters + (i << 2));
    if (popcnt<u32>(has & ~wanted) > most || popcnt<u32>(wanted & ~has) > most) continue;
    store<u32>(list + (listed++ << 2), i);
  }
  return listed;
}
