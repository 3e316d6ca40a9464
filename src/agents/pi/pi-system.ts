import type { PiLoaded, PiSystem, PiTool } from "./pi-trail.ts";

/** What all system messages of a context come to. */
export interface CurrentSystem {
  readonly content: string;
  readonly sections: Readonly<Record<string, string>>;
  readonly tools: readonly PiTool[];
}

/** undefined where there are none. */
export function currentSystem(context: readonly PiLoaded[]): CurrentSystem | undefined {
  const systems = context.flatMap(({ message }): readonly PiSystem[] =>
    message?.system === undefined ? [] : [message.system],
  );
  if (systems.length === 0) return undefined;
  const sections = new Map<string, string>();
  const tools = new Map<string, PiTool>();
  for (const system of systems) {
    for (const [name, text] of Object.entries(system.sections)) {
      if (text === null) sections.delete(name);
      else sections.set(name, text);
    }
    for (const name of system.toolsRemoved) tools.delete(name);
    for (const tool of system.toolsAdded) tools.set(tool.name, tool);
  }
  return {
    content: systems
      .map(({ text }) => text)
      .filter((text) => text !== "")
      .join("\n\n"),
    sections: Object.fromEntries(sections),
    tools: [...tools.values()],
  };
}

/** As Pi counts a system message. */
export function systemTokens({ content, sections, tools }: CurrentSystem): number {
  const inSections = Object.values(sections).reduce((sum, text) => sum + text.length, 0);
  const inTools = tools.length === 0 ? 0 : JSON.stringify(tools.map(({ declaration }) => declaration)).length;
  return Math.ceil((content.length + inSections + inTools) / 4);
}
