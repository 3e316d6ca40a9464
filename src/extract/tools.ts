import type { Step } from "../session/session.ts";
import type { ToolCount } from "./digest.ts";

export type ToolStep = Extract<Step, { readonly kind: "tool" }>;

/** Counts calls by the name of their tool. */
export interface ToolCounter {
  /** Gives the count of the tool, to which the call has been added. */
  add(step: ToolStep): CountedTool;
  counts(): Readonly<Record<string, ToolCount>>;
}

export interface CountedTool {
  count: number;
  errors: number;
  /** It keeps a list of what is to be done. */
  readonly isWork: boolean;
}

const WORK_TOOL = /^(?:TodoWrite|Task(?:Create|Update)|todo|update_plan)/i;

export function createToolCounter(): ToolCounter {
  const tools = new Map<string, CountedTool>();
  return {
    add({ call }) {
      let tool = tools.get(call.name);
      if (tool === undefined) {
        tool = { count: 0, errors: 0, isWork: WORK_TOOL.test(call.name) };
        tools.set(call.name, tool);
      }
      tool.count++;
      if (call.result?.isError === true) tool.errors++;
      return tool;
    },
    // Names come from logs: a prototype must not answer for one.
    counts: () =>
      Object.fromEntries(
        [...tools]
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([name, { count, errors }]) => [name, { count, errors }]),
      ),
  };
}
