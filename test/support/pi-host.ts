import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { onTestFinished } from "vitest";

type Handler = (event: object, ctx: object) => Promise<unknown>;

/** A tool as an extension registers it. */
export interface HostTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: object;
  execute(
    id: string,
    params: object,
    signal: undefined,
    onUpdate: undefined,
    ctx: object,
  ): Promise<ToolAnswer>;
}

interface ToolAnswer {
  readonly content: readonly { readonly type: string; readonly text: string }[];
}

/** The part of Pi that our extension uses. */
export interface PiHost {
  readonly folder: string;
  readonly tools: ReadonlyMap<string, HostTool>;
  readonly notices: readonly string[];
  /** Messages that it put into the session. */
  readonly sent: readonly {
    readonly customType: string;
    readonly content: string;
    readonly display: boolean;
  }[];
  /** What it let the user choose from. */
  readonly offered: (readonly string[])[];
  /** Fires an event as Pi does: the handler gets it, and its answer counts. */
  fire(event: string, fields: object): Promise<unknown>;
  tool(name: string, params: object): Promise<string>;
  command(name: string, args: string): Promise<void>;
}

export interface PiHostOptions {
  /** The session's log; undefined: Pi writes none. */
  readonly log: string | undefined;
  readonly sessionId?: string;
  readonly folder?: string;
}

/** Loads the text of an extension as Pi would, into a stand-in for Pi. */
export async function loadExtension(text: string, options: PiHostOptions): Promise<PiHost> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "sessions-pi-host-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }));
  const file = join(root, "sessions.mjs");
  writeFileSync(file, text);
  const handlers = new Map<string, Handler>();
  const tools = new Map<string, HostTool>();
  const commands = new Map<string, { handler(args: string, ctx: object): Promise<void> }>();
  const notices: string[] = [];
  const sent: PiHost["sent"][number][] = [];
  const offered: (readonly string[])[] = [];
  const ctx = {
    cwd: options.folder ?? root,
    hasUI: true,
    ui: {
      notify: (message: string) => void notices.push(message),
      select: async (_title: string, labels: readonly string[]) => {
        offered.push(labels);
        return labels[0];
      },
    },
    sessionManager: {
      getSessionFile: () => options.log,
      getSessionId: () => options.sessionId ?? "here",
    },
  };
  const { default: extension } = await import(pathToFileURL(file).href);
  extension({
    on: (event: string, handler: Handler) => void handlers.set(event, handler),
    registerTool: (tool: HostTool) => void tools.set(tool.name, tool),
    registerCommand: (name: string, command: { handler(args: string, ctx: object): Promise<void> }) =>
      void commands.set(name, command),
    sendMessage: (message: PiHost["sent"][number]) => void sent.push(message),
  });
  return {
    folder: root,
    tools,
    notices,
    sent,
    offered,
    fire: async (event, fields) => handlers.get(event)?.({ type: event, ...fields }, ctx),
    tool: async (name, params) => {
      const answer = await tools.get(name)?.execute("1", params, undefined, undefined, ctx);
      return (answer?.content ?? []).map(({ text: part }) => part).join("\n");
    },
    command: async (name, args) => commands.get(name)?.handler(args, ctx),
  };
}
