import { setEngineFlags } from "./engine-flags.ts";

/*
 * V8 optimises a function in another thread when it has run for a while. That of Node 20 begins early; later ones wait
 * longer by themselves, and gain nothing by this (a search on Node 22: the same within noise).
 */

/**
 * Lets V8 look longer at what runs before it optimises, and inline less. Many threads that all do everything
 * each compile everything: of 12 s of processor time that two threads took for 292 MB of logs 6 were the
 * compiler's, much of it for code that was thrown away a moment later; with these flags 2.5, and the code
 * that comes out is as fast.
 */
export function compileLess(): void {
  setEngineFlags([11], "--interrupt-budget=540000", "--max-inlined-bytecode-size-cumulative=100");
}

/**
 * The same for work that is over in a moment: what the compiler makes then comes too late, and a process waits at its
 * end until it is done. Of 125 ms of processor time that a search with two typos took the compiler had 20, of 400
 * that one took after a line was appended to a log of 7 MB it had 160. WebAssembly is fast enough as it is first compiled, too: 3 of
 * 80 ms for three words in 1 GB of logs.
 */
export function compileHardly(): void {
  setEngineFlags([11], "--interrupt-budget=1000000", "--wasm-tiering-budget=100000000");
}
