import type { ToolResult } from "./entry.ts";
import { createNameTable } from "./name-table.ts";
import type { CallResult } from "./session.ts";

/** Which calls were made, and what came back. Of two results for one call the later counts. */
export interface CallTable {
  /** The number of a call. */
  number(id: string): number;
  made(id: string): void;
  answered(result: ToolResult): Answered;
  result(call: number): CallResult | undefined;
  /** The sub-agent that it started. */
  agentId(call: number): string | undefined;
}

/** How a result and its call stand to each other: the sum of what is true. */
export type Answered = number;
/** Its call was made before it. */
export const EXPECTED = 1;
/** The first for its call. */
export const FIRST = 2;

export function createCallTable(): CallTable {
  const names = createNameTable();
  /** By number: undefined as long as nothing came back. */
  const results: (CallResult | undefined)[] = [];
  const agents = new Map<number, string>();
  /** Of results that came before their call. */
  const early = new Set<number>();
  const numberOf = (id: string): number => {
    const number = names.number(id);
    if (number === results.length) results.push(undefined);
    return number;
  };
  return {
    number: numberOf,
    made(id) {
      const number = numberOf(id);
      if (early.size > 0) early.delete(number);
    },
    answered(result) {
      const known = results.length;
      const number = numberOf(result.callId);
      if (number === known) early.add(number);
      const isFirst = results[number] === undefined;
      results[number] = resultOf(result);
      if (result.agentId !== undefined) agents.set(number, result.agentId);
      const isExpected = early.size === 0 || !early.has(number);
      return (isExpected ? EXPECTED : 0) + (isFirst ? FIRST : 0);
    },
    result: (call) => results[call],
    agentId: (call) => agents.get(call),
  };
}

function resultOf({ isError, exitCode, text, chars, spilledTo }: ToolResult): CallResult {
  return { isError, exitCode, text, chars, spilledTo };
}
