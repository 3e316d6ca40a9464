import { describe, expect, it } from "vitest";
import { actionsOf } from "../../src/agents/actions.ts";
import type { BulkyOptions } from "../../src/agents/bulky-block.ts";
import { NORMAL_RULE, planClaudeCompaction } from "../../src/agents/claude/compact.ts";
import type { LogSnapshot } from "../../src/agents/log-snapshot.ts";
import { createMemoryDisk } from "../../src/fs/memory-disk.ts";
import { scanJsonLine } from "../../src/jsonl/json-spans.ts";
import { rawLines } from "../../src/jsonl/lines.ts";
import { planEdits, plannedSize, type RewritePlan, rewrittenBytes } from "../../src/jsonl/rewrite-plan.ts";
import { openSidecar, type Sidecar } from "../../src/shrink/open-sidecar.ts";
import { planFlatten, ruleFor } from "../../src/shrink/plan-flatten.ts";
import { planUnflatten } from "../../src/shrink/plan-unflatten.ts";
import fc from "../support/fc.ts";
import { anyLog } from "../support/shrink/any-log.ts";

const FLAT = "/session.flat";

const apply = (plan: RewritePlan, bytes: Buffer): Buffer => Buffer.concat([...rewrittenBytes(plan, [bytes])]);

/** The log and its sidecar, as one run of flatten leaves them. */
interface Flat {
  readonly bytes: Buffer;
  readonly sidecar: Sidecar | undefined;
  readonly blocks: number;
}

function logOf(bytes: Buffer): Pick<LogSnapshot, "chunks" | "mark" | "range" | "parts"> {
  return {
    mark: { size: bytes.length, mtimeMs: 0, inode: 0 },
    chunks: () => [bytes],
    range: (from, to) => bytes.subarray(from, to),
    parts: (from, to) => [bytes.subarray(from, to)],
  };
}

function flatten(
  agent: "claude" | "pi",
  { bytes, sidecar }: Pick<Flat, "bytes" | "sidecar">,
  requested: BulkyOptions,
): Flat {
  const rule = ruleFor(sidecar, requested);
  const finder = actionsOf(agent).flattening?.finder;
  if (finder === undefined) throw new Error("no finder");
  const flat = planFlatten(logOf(bytes), "session", sidecar, finder, rule);
  const disk = createMemoryDisk(() => 0);
  flat.builder.write(disk, FLAT, { agent, id: "session", path: "/log", ...rule, original: flat.original });
  return { bytes: apply(flat.plan, bytes), sidecar: openSidecar(disk, FLAT), blocks: flat.blocks };
}

function unflatten(
  agent: "claude" | "pi",
  { bytes, sidecar }: Flat,
): { readonly bytes: Buffer; readonly isExact: boolean } {
  if (sidecar === undefined) throw new Error("no sidecar");
  const { plan, isExact, left } = planUnflatten(agent, logOf(bytes), { sidecar, archived: () => [] });
  expect(left).toEqual([]);
  return { bytes: apply(plan, bytes), isExact };
}

const rules = fc.record({ minBytes: fc.constantFrom(0, 20, 200, 1024), copies: fc.boolean() });

describe.each(["claude", "pi"] as const)("a log of %s, whatever it is", (agent) => {
  it("comes back byte for byte, with the lines that came since, however often it is flattened", () => {
    let moved = 0;
    fc.assert(
      fc.property(
        anyLog(agent),
        rules,
        anyLog(agent),
        rules,
        anyLog(agent),
        (log, rule, more, again, last) => {
          const once = flatten(agent, { bytes: log, sidecar: undefined }, rule);
          expect(unflatten(agent, once)).toEqual({ bytes: log, isExact: true });
          const grown = { ...once, bytes: Buffer.concat([once.bytes, more]) };
          expect(unflatten(agent, grown)).toEqual({ bytes: Buffer.concat([log, more]), isExact: true });
          const twice = flatten(agent, grown, again);
          const all = { ...twice, bytes: Buffer.concat([twice.bytes, last]) };
          expect(unflatten(agent, all)).toEqual({ bytes: Buffer.concat([log, more, last]), isExact: true });
          moved += once.blocks + twice.blocks;
        },
      ),
      { numRuns: 30 },
    );
    expect(moved).toBeGreaterThan(25);
  });

  it("is the same when it is flattened twice as when it is once", () => {
    fc.assert(
      fc.property(anyLog(agent), rules, (log, rule) => {
        const once = flatten(agent, { bytes: log, sidecar: undefined }, rule);
        const twice = flatten(agent, once, rule);
        expect(twice.bytes.equals(once.bytes)).toBe(true);
        expect(twice.blocks).toBe(0);
        expect(twice.sidecar?.index).toEqual(once.sidecar?.index);
        // A larger size moves nothing back.
        expect(flatten(agent, once, { minBytes: 1e6, copies: false }).bytes.equals(once.bytes)).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  it("has after it the same lines in the same order, each as long as before or shorter", () => {
    fc.assert(
      fc.property(anyLog(agent), rules, (log, rule) => {
        const { bytes } = flatten(agent, { bytes: log, sidecar: undefined }, rule);
        const before = [...rawLines([log])];
        const after = [...rawLines([bytes])];
        expect(after.length).toBe(before.length);
        for (const [at, line] of after.entries()) {
          const was = before[at]?.bytes ?? Buffer.alloc(0);
          expect(line.bytes.length).toBeLessThanOrEqual(was.length);
          expect(isJson(line.bytes)).toBe(isJson(was));
        }
      }),
      { numRuns: 30 },
    );
  });
});

function isJson(bytes: Buffer): boolean {
  try {
    JSON.parse(bytes.toString("utf8").replace(/^\ufeff/, ""));
    return true;
  } catch {
    return false;
  }
}

/** What must not change: names, parents, pairs, shapes; of each object on the line. */
function skeleton(bytes: Buffer): unknown {
  return scanJsonLine(bytes).map(({ start, end }) => {
    const part = bytes.subarray(start, end);
    if (!isJson(part)) return part.toString("latin1");
    const value = JSON.parse(part.toString("utf8"));
    const blocks = Array.isArray(value?.message?.content) ? value.message.content : [];
    return [
      value?.type,
      value?.uuid,
      value?.parentUuid,
      value?.message?.role,
      ...blocks.map((block: Record<string, unknown>) => [
        block?.type,
        block?.id,
        block?.tool_use_id,
        block?.name,
      ]),
      Array.isArray(value?.toolUseResult),
      typeof value?.toolUseResult,
      Object.keys(value ?? {}),
    ];
  });
}

describe("a log of claude, compacted", () => {
  const compact = (log: Buffer, keep: number): { bytes: Buffer; shrunk: number } => {
    const { plan, shrunk } = planClaudeCompaction(() => [log], log.length, { ...NORMAL_RULE, keep });
    expect(plannedSize(plan)).toBe(apply(plan, log).length);
    return { bytes: apply(plan, log), shrunk: shrunk.length };
  };

  it("has every line, in order, with its name, parent and tool pairs; others are untouched; twice is once", () => {
    let shrunk = 0;
    fc.assert(
      fc.property(anyLog("claude"), fc.constantFrom(0, 0, 1, NORMAL_RULE.keep), (log, keep) => {
        const once = compact(log, keep);
        shrunk += once.shrunk;
        const before = [...rawLines([log])];
        const after = [...rawLines([once.bytes])];
        expect(after.map(({ ended }) => ended)).toEqual(before.map(({ ended }) => ended));
        for (const [at, { bytes }] of after.entries()) {
          const was = before[at]?.bytes ?? Buffer.alloc(0);
          if (bytes.equals(was)) continue;
          expect(skeleton(bytes)).toEqual(skeleton(was));
        }
        if (once.shrunk === 0) expect(once.bytes.equals(log)).toBe(true);
        expect(compact(once.bytes, keep).bytes.equals(once.bytes)).toBe(true);
      }),
      { numRuns: 100 },
    );
    expect(shrunk).toBeGreaterThan(10);
  });
});

describe("rewrittenBytes()", () => {
  it("makes the same bytes whatever the chunks are", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 40 }),
        fc.array(fc.nat({ max: 40 }), { maxLength: 6 }),
        fc.nat({ max: 9 }),
        (bytes, cuts, size) => {
          const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
          const edits = places
            .slice(0, places.length - (places.length % 2))
            .flatMap((from, at) =>
              at % 2 === 0 ? [{ from, to: places[at + 1] ?? from, with: Buffer.from(`<${at}>`) }] : [],
            );
          const plan = planEdits(edits, bytes.length);
          const chunks = Array.from({ length: Math.ceil(bytes.length / (size + 1)) }, (_, n) =>
            bytes.subarray(n * (size + 1), (n + 1) * (size + 1)),
          );
          const whole = Buffer.concat([...rewrittenBytes(plan, [bytes])]);
          expect(Buffer.concat([...rewrittenBytes(plan, chunks)]).equals(whole)).toBe(true);
          expect(whole.length).toBe(plannedSize(plan));
        },
      ),
    );
  });
});
