import * as z from "zod/mini";
import { exitCodes, type OpenHistory, UserError } from "../../index.ts";
import { type AgentAnswer, type Cursor, readCursor } from "../../render/agent/page-answer.ts";

/** What tools know about the server that they run in. */
export interface ToolContext {
  /**
   * Opens the history in its present state; `last` and `current` mean this folder, or without one the caller's
   * project.
   */
  open(folder?: string): Promise<OpenHistory>;
  /** The calling session, if its agent names it. */
  readonly callingSession: string | undefined;
  readonly signal: AbortSignal;
}

/** The token budget of a call, and the place where its answer starts. */
export interface CallPage {
  readonly maxTokens: number;
  readonly cursor: Cursor | undefined;
}

/** A tool of the server. */
export interface McpTool {
  readonly name: string;
  readonly title: string;
  /** Its first sentence must be enough: clients show only names at first, and then little more. */
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly inputSchema: InputSchema;
  readonly isReadOnly: boolean;
  /** A call may reach other machines. */
  readonly usesNetwork: boolean;
  /** Advice about an error whose hint is for a shell, if the tool takes no session. */
  readonly advice: string | undefined;
  /** Checks the arguments of a call; throws a UserError if they are wrong. */
  read(args: Readonly<Record<string, unknown>>): {
    readonly page: CallPage;
    run(context: ToolContext): Promise<AgentAnswer>;
  };
}

/** Types of properties are needed to read arguments; the rest of the schema is for clients. */
export type InputSchema = {
  readonly type: "object";
  readonly properties: Readonly<Record<string, { readonly type?: string; readonly description?: string }>>;
};

const DEFAULT_TOKENS = 1_500;
const MIN_TOKENS = 200;
/** Clients refuse answers that are much longer. */
const MAX_TOKENS = 20_000;

/** A text that is not empty. */
export function text(description: string): z.ZodMiniString {
  return z.string("must be text").check(z.minLength(1, "must not be empty"), z.describe(description));
}

/** A whole number. */
export function whole(least: number, most: number, description: string): z.ZodMiniNumber {
  const message = `must be a whole number from ${least} to ${most}`;
  return z
    .number(message)
    .check(z.int(message), z.gte(least, message), z.lte(most, message), z.describe(description));
}

/** A switch. */
export function flag(description: string): z.ZodMiniBoolean {
  return z.boolean("must be true or false").check(z.describe(description));
}

/** Arguments of every tool. */
const pageShape = {
  max_tokens: z._default(
    whole(MIN_TOKENS, MAX_TOKENS, "How long the answer may be, in tokens."),
    DEFAULT_TOKENS,
  ),
  cursor: z.optional(
    text("To go on where an earlier answer to the same call ended: the cursor that it gave."),
  ),
};

/** Arguments that name a session. */
export const sessionShape: Readonly<
  Record<"session_id" | "sessionId" | "project_dir", z.ZodMiniOptional<z.ZodMiniString>>
> = {
  session_id: z.optional(
    text(
      'Session id, the start of one, "last", "current" (the session that you are in), or the path of its log.',
    ),
  ),
  sessionId: z.optional(text("Alias of session_id.")),
  project_dir: z.optional(
    text('Absolute path of the project that "last" and "current" refer to. Default: this project.'),
  ),
};

export interface SessionInput {
  readonly session_id?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly project_dir?: string | undefined;
}

/** The words that name a session; `last 3` is two. Our answers write `session <id>`, resources `sessions://<agent>/<id>`. */
export function selectorOf({ session_id, sessionId }: SessionInput): readonly string[] {
  const given = (session_id ?? sessionId)
    ?.trim()
    .replace(/^session\s+(?=\S)/, "")
    .replace(/^sessions:\/\/([^/]+)\/(?=[^/]+$)/, "$1:");
  if (given === undefined || given === "") {
    throw new UserError("session_id is missing", {
      exitCode: exitCodes.wrongUsage,
      hint: 'Pass an id from search_sessions or list_sessions, or "last", or "current"',
    });
  }
  return /^last\s+\d+$/.test(given) ? given.split(/\s+/) : [given];
}

interface TypedTool<Shape extends z.core.$ZodShape> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Shape;
  readonly isReadOnly: boolean;
  readonly usesNetwork?: boolean;
  readonly advice?: string;
  run(input: z.output<z.ZodMiniObject<Shape>>, context: ToolContext, page: CallPage): Promise<AgentAnswer>;
}

/** Ties the arguments that `run` gets to the table that describes them. */
export function defineTool<const Shape extends z.core.$ZodShape>({
  name,
  title,
  description,
  input,
  isReadOnly,
  usesNetwork = false,
  advice,
  run,
}: TypedTool<Shape>): McpTool {
  const own = z.object(input);
  const page = z.object(pageShape);
  const { $schema: _, ...schema } = z.toJSONSchema(z.object({ ...input, ...pageShape }), { io: "input" });
  const inputSchema = schema as unknown as InputSchema;
  return {
    name,
    title,
    description,
    inputSchema,
    isReadOnly,
    usesNetwork,
    advice,
    read(args) {
      const known = knownArguments(name, args, inputSchema);
      const { max_tokens: maxTokens, cursor: given } = check({ name, inputSchema }, page, known);
      const values = check({ name, inputSchema }, own, known);
      const cursor = given === undefined ? undefined : readCursor(given);
      if (given !== undefined && cursor === undefined) {
        throw new UserError(`Cannot go on from the cursor ${JSON.stringify(given)}`, {
          exitCode: exitCodes.wrongUsage,
          hint: "pass the cursor of the last answer as it is, or leave it out to start again",
        });
      }
      const callPage = { maxTokens, cursor };
      return { page: callPage, run: (context) => run(values, context, callPage) };
    },
  };
}

/**
 * The arguments under the names that the tool knows. Models write `sessionId` for `session_id`, `"5"` for 5, and null
 * for absent arguments: all of that is understood. A name without a similar parameter is an error, because the answer
 * would not be the requested one.
 */
function knownArguments(
  tool: string,
  args: Readonly<Record<string, unknown>>,
  { properties }: InputSchema,
): Readonly<Record<string, unknown>> {
  const known = new Map<string, unknown>();
  for (const [given, value] of Object.entries(args)) {
    if (value === null || value === undefined || (typeof value === "string" && value.trim() === "")) continue;
    const name = Object.hasOwn(properties, given)
      ? given
      : given.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (schema === undefined) {
      throw new UserError(`${tool} has no parameter ${JSON.stringify(given)}`, {
        exitCode: exitCodes.wrongUsage,
        hint: `It has ${Object.keys(properties).join(", ")}`,
      });
    }
    known.set(name, asType(value, schema.type));
  }
  return Object.fromEntries(known);
}

function asType(value: unknown, type: string | undefined): unknown {
  if (type === "string") return typeof value === "number" ? String(value) : value;
  if (typeof value !== "string") return value;
  if (type === "integer" && /^\d+$/.test(value)) return Number(value);
  if (type === "boolean" && /^(?:true|false)$/i.test(value)) return value.toLowerCase() === "true";
  return value;
}

function check<T extends z.ZodMiniType>(
  { name, inputSchema }: Pick<McpTool, "name" | "inputSchema">,
  schema: T,
  args: Readonly<Record<string, unknown>>,
): z.output<T> {
  const result = z.safeParse(schema, args);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const parameter = String(issue?.path[0]);
  if (Object.hasOwn(args, parameter)) {
    throw new UserError(`${name}: ${parameter} ${issue?.message ?? "is not understood"}`, {
      exitCode: exitCodes.wrongUsage,
    });
  }
  throw new UserError(`${name} needs ${parameter}`, {
    exitCode: exitCodes.wrongUsage,
    hint: (inputSchema.properties[parameter]?.description ?? "").replace(/\.$/, ""),
  });
}
