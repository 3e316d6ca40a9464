import type { ToolResult } from "../model/entry.ts";
import type { CallResult } from "../model/session.ts";
import { createNameTable } from "./name-table.ts";

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

export interface Answered {
  /** Its call was made before it. */
  readonly isExpected: boolean;
  /** The first for its call. */
  readonly isFirst: boolean;
}

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
      early.delete(numberOf(id));
    },
    answered(result) {
      const isKnown = names.find(result.callId) !== -1;
      const number = numberOf(result.callId);
      if (!isKnown) early.add(number);
      const isFirst = results[number] === undefined;
      results[number] = resultOf(result);
      if (result.agentId !== undefined) agents.set(number, result.agentId);
      return { isExpected: !early.has(number), isFirst };
    },
    result: (call) => results[call],
    agentId: (call) => agents.get(call),
  };
}

function resultOf({ isError, exitCode, text, chars, spilledTo }: ToolResult): CallResult {
  return { isError, exitCode, text, chars, spilledTo };
}
