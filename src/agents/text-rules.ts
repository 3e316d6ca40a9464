import type { JsonObject } from "../jsonl/json-line.ts";
import type { TextRole } from "../session/text-role.ts";

/** The role that enclosing objects give a text. */
export interface TextScope {
  readonly role: TextRole;
  /** Nothing inside changes the role. */
  readonly isFinal: boolean;
  /** Tool input or output, whose keys are not those of the log format. */
  readonly isData: boolean;
}

/**
 * How the lines of one agent's logs differ from the rules that all agents share (`search/grep/line-texts.ts`), which
 * decide the role of a text. An agent without special names needs none.
 */
export interface TextRules {
  /** Roles by the `type` of lines and blocks, tried before the shared ones. The first match wins. */
  readonly types?: readonly (readonly [RegExp, TextRole])[];
  /** Roles by speaker. */
  readonly speakers?: Readonly<Record<string, TextRole>>;
  /** Keys whose values are ids, times and names of the format. */
  readonly fields?: readonly string[];
  /** The scope inside an object that more than its type marks; undefined: the shared rules decide. */
  object?(object: JsonObject, outer: TextScope): TextScope | undefined;
  /** The scope of a member; undefined: the shared rules decide. */
  member?(key: string, object: JsonObject, scope: TextScope): TextScope | undefined;
}

/** The scope of a role in which nested objects may have another. */
export function openScope(role: TextRole): TextScope {
  return { role, isFinal: false, isData: false };
}

/** The scope of a role that applies to everything inside. */
export function finalScope(role: TextRole): TextScope {
  return { role, isFinal: true, isData: false };
}

export const INPUT_DATA: TextScope = { role: "input", isFinal: true, isData: true };
export const OUTPUT_DATA: TextScope = { role: "output", isFinal: true, isData: true };
/** The agent's own record of a result. */
export const RESULT_DATA: TextScope = { role: "result", isFinal: true, isData: true };
/** Ids and numbers of the format. */
export const FIELD_DATA: TextScope = { role: "field", isFinal: true, isData: true };
