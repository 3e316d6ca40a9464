import { dirname, normalize } from "node:path/posix";
import ts from "typescript";

export const rooms = ["core", "formats", "store", "operations", "integrations", "cli"] as const;
export type Room = (typeof rooms)[number];

/** Which rooms a room may import from, besides itself. */
const allowed: Readonly<Record<Room, readonly Room[]>> = {
  core: [],
  formats: ["core"],
  store: ["core"],
  operations: ["core", "formats", "store"],
  integrations: ["core", "operations"],
  cli: ["core", "formats", "store", "operations", "integrations"],
};

/** The rooms of pure code may import these alone: they compute, and touch nothing. */
const pureModules = ["node:buffer", "node:crypto", "node:path", "node:path/posix", "node:util", "node:zlib"];

/** The only files that may look at the process, the clock and the home; everything else is handed them. */
const knowsTheMachine = [
  "src/cli/main.ts",
  "src/cli/launcher.ts",
  "src/cli/world.ts",
  "src/fs/places.ts",
  "src/cli/bundles/late-crypto.ts",
  "src/cli/bundles/main.ts",
  "src/fs/compile-cache.ts",
  "src/fs/engine-flags.ts",
  "src/fs/processes.ts",
];

const MAX_LINES = 350;

/** What is wrong with a source file, as `path:line: what`. */
export function judgeSource(path: string, text: string): readonly string[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const faults: string[] = [];
  const fault = (node: ts.Node, what: string): void => {
    const { line } = file.getLineAndCharacterOfPosition(node.getStart(file));
    faults.push(`${path}:${line + 1}: ${what}`);
  };
  const visit = (node: ts.Node): void => {
    for (const imported of importsOf(node)) {
      const what = imported === undefined ? "imports what only a run can tell" : judgeImport(path, imported);
      if (what !== undefined) fault(node, what);
    }
    const ambient = knowsTheMachine.includes(path) ? undefined : ambientOf(node);
    if (ambient !== undefined) fault(node, `uses ${ambient}, which is to be passed in`);
    ts.forEachChild(node, visit);
  };
  visit(file);
  const lines = text.split("\n").length - 1;
  if (lines > MAX_LINES) faults.push(`${path}:${lines}: is longer than ${MAX_LINES} lines`);
  return faults;
}

/** What a node imports: static, re-exported, dynamic, of a type, or the file of a worker. */
function importsOf(node: ts.Node): readonly (string | undefined)[] {
  if (ts.isImportDeclaration(node)) return [textOf(node.moduleSpecifier)];
  if (ts.isExportDeclaration(node) && node.moduleSpecifier) return [textOf(node.moduleSpecifier)];
  if (ts.isImportTypeNode(node))
    return [ts.isLiteralTypeNode(node.argument) ? textOf(node.argument.literal) : undefined];
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
    return [textOf(node.arguments[0])];
  }
  if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === "require") {
    return [textOf(node.arguments[0])];
  }
  if (ts.isNewExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === "URL") {
    const relative = textOf(node.arguments?.[0]);
    return relative !== undefined && /\.m?[jt]s$/.test(relative) ? [relative] : [];
  }
  return [];
}

function textOf(node: ts.Node | undefined): string | undefined {
  return node !== undefined && ts.isStringLiteralLike(node) ? node.text : undefined;
}

function judgeImport(path: string, specifier: string): string | undefined {
  const room = roomOf(path);
  if (room === undefined) return "stands in no room";
  if (specifier.startsWith(".")) {
    const target = normalize(`${dirname(path)}/${specifier}`);
    const to = roomOf(target);
    if (to === undefined)
      return target === "package.json" ? undefined : `imports ${target}, which is outside src`;
    return to === room || allowed[room].includes(to)
      ? undefined
      : `${room} must not import ${to} (${target})`;
  }
  const isNode = specifier.startsWith("node:");
  if (/^(node:)?fs(\/|$)/.test(specifier) && room !== "store") return `${room} must not import ${specifier}`;
  if (isNode && (room === "core" || room === "formats") && !pureModules.includes(specifier)) {
    return `${room} is pure and must not import ${specifier}`;
  }
  if (specifier === "node:process" && !knowsTheMachine.includes(path)) return `imports ${specifier}`;
  return undefined;
}

function roomOf(path: string): Room | undefined {
  return rooms.find((room) => path.startsWith(`src/${room}/`));
}

const globals = ["process", "Deno", "Bun", "console", "homedir"];

/** What of the machine a node reaches for. */
function ambientOf(node: ts.Node): string | undefined {
  if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression)) {
    const name = `${node.expression.text}.${node.name.text}`;
    if (["Date.now", "Math.random", "os.homedir"].includes(name)) return name;
  }
  if (ts.isNewExpression(node) && isNamed(node.expression, "Date") && !node.arguments?.length)
    return "new Date()";
  if (ts.isCallExpression(node) && isNamed(node.expression, "Date")) return "Date()";
  if (!ts.isIdentifier(node) || !globals.includes(node.text)) return undefined;
  const { parent } = node;
  const isOnlyName =
    (ts.isPropertyAccessExpression(parent) &&
      parent.name === node &&
      !isNamed(parent.expression, "globalThis")) ||
    (ts.isPropertyAssignment(parent) && parent.name === node) ||
    ts.isPropertySignature(parent) ||
    ts.isImportClause(parent) ||
    ts.isImportSpecifier(parent);
  return isOnlyName ? undefined : node.text;
}

function isNamed(node: ts.Node, name: string): boolean {
  return ts.isIdentifier(node) && node.text === name;
}
