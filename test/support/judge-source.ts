import { dirname, normalize } from "node:path/posix";
import ts from "typescript";
import { agents } from "../../src/agents/agents.ts";

/** Folders and files of src, from the bottom up: each imports only itself and what comes before it. */
export const layers = [
  "errors.ts",
  "jsonl",
  "fs",
  "settings",
  "session",
  "redact",
  "extract",
  "agents",
  "render",
  "archive",
  "search",
  "shrink",
  "retention",
  "forget.ts",
  "remote",
  "site",
  "history",
  "index.ts",
  "integrations",
  "web",
  "cli",
] as const;
type Layer = (typeof layers)[number];

/** Folders of code that only computes. */
const pure: readonly Layer[] = ["errors.ts", "jsonl", "session", "redact", "extract", "render"];

/** What pure code may import of the runtime. */
const pureModules = ["node:buffer", "node:crypto", "node:path", "node:path/posix", "node:util", "node:zlib"];

/** The only files that may look at the process, the clock and the home; everything else is handed them. */
const knowsTheMachine = [
  "src/cli/main.ts",
  "src/cli/launcher.ts",
  "src/cli/world.ts",
  "src/cli/bundles/late-crypto.ts",
  "src/cli/bundles/main.ts",
  "src/cli/bundles/mcp.ts",
  "src/cli/bundles/serve.ts",
  "src/cli/bundles/pick.ts",
  "src/fs/compile-cache.ts",
  "src/fs/engine-flags.ts",
  "src/fs/places.ts",
  "src/fs/process-folders.ts",
  "src/fs/processes.ts",
  // It runs in a browser.
  "src/site/client/site.ts",
];

/** What commands may import besides src/cli: the library, and what shows its answers or sets agents up. */
const commandImports = [
  "src/index.ts",
  "src/errors.ts",
  "src/agents/actions.ts",
  "src/render/",
  "src/integrations/",
  "src/web/",
  "src/cli/",
];

/** The command of the search bundle, which imports only what a search needs. */
const fastPath = "src/cli/commands/search.ts";

/** Runs in a browser, whose clock, address and storage it may look at. */
const inBrowser = "src/web/client/";

const MAX_LINES = 450;

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
    const mayLook = knowsTheMachine.includes(path) || path.startsWith(inBrowser);
    const ambient = mayLook ? undefined : ambientOf(node);
    if (ambient !== undefined) fault(node, `uses ${ambient}, which is to be passed in`);
    const agent = path.startsWith("src/agents/") ? undefined : agentBranchedOn(node);
    if (agent !== undefined)
      fault(node, `knows "${agent}" by name: what differs between agents belongs into src/agents`);
    ts.forEachChild(node, visit);
  };
  visit(file);
  const lines = text.split("\n").length - 1;
  if (lines > MAX_LINES) faults.push(`${path}:${lines}: is longer than ${MAX_LINES} lines`);
  return faults;
}

/** The files of src that a file loads: imports of types alone are none. */
export function loadedFiles(path: string, text: string): readonly string[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    found.push(...loadedBy(path, node));
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** The files of src that a file needs before its own code runs: not those that it loads later, with `import()`. */
function neededFiles(path: string, text: string): readonly string[] {
  const { statements } = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  return statements.flatMap((statement) => loadedBy(path, statement));
}

/** The files of src that a node loads. */
function loadedBy(path: string, node: ts.Node): readonly string[] {
  const isType =
    ts.isImportTypeNode(node) ||
    (ts.isExportDeclaration(node) && node.isTypeOnly) ||
    (ts.isImportDeclaration(node) && isOnlyTypes(node.importClause));
  if (isType) return [];
  return importsOf(node)
    .flatMap((imported) => (imported?.startsWith(".") ? normalize(`${dirname(path)}/${imported}`) : []))
    .filter((target) => target.startsWith("src/"));
}

/** Circles of files that need each other, each as `a → b → a`. */
export function importCircles(paths: readonly string[], read: (path: string) => string): readonly string[] {
  const circles: string[] = [];
  const done = new Set<string>();
  const visit = (path: string, above: readonly string[]): void => {
    const start = above.indexOf(path);
    if (start !== -1) circles.push([...above.slice(start), path].join(" → "));
    if (start !== -1 || done.has(path)) return;
    for (const target of neededFiles(path, read(path))) visit(target, [...above, path]);
    done.add(path);
  };
  for (const path of paths) visit(path, []);
  return circles;
}

function isOnlyTypes(clause: ts.ImportClause | undefined): boolean {
  if (clause === undefined) return false;
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  const names = clause.namedBindings;
  return (
    clause.name === undefined &&
    names !== undefined &&
    ts.isNamedImports(names) &&
    names.elements.every(({ isTypeOnly }) => isTypeOnly)
  );
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
  const layer = layerOf(path);
  if (layer === undefined) return "is in no folder that the list of layers has";
  if (specifier.startsWith("."))
    return judgeOwnImport(path, layer, normalize(`${dirname(path)}/${specifier}`));
  if (/^(node:)?fs(\/|$)/.test(specifier) && layer !== "fs") return `${layer} must not import ${specifier}`;
  if (specifier.startsWith("node:") && pure.includes(layer) && !pureModules.includes(specifier)) {
    return `${layer} is pure and must not import ${specifier}`;
  }
  if (specifier === "node:process" && !knowsTheMachine.includes(path)) return `imports ${specifier}`;
  return undefined;
}

function judgeOwnImport(path: string, layer: Layer, target: string): string | undefined {
  const to = layerOf(target);
  if (to === undefined)
    return target === "package.json" ? undefined : `imports ${target}, which is outside src`;
  if (path.startsWith("src/cli/commands/") && path !== fastPath) {
    const isAllowed = commandImports.some((each) =>
      each.endsWith("/") ? target.startsWith(each) : target === each,
    );
    if (!isAllowed) return `commands use the library, not ${target}`;
  }
  if (layers.indexOf(to) > layers.indexOf(layer)) return `${layer} must not import ${to} (${target})`;
  const [from, other] = [agentOf(path), agentOf(target)];
  return from !== undefined && other !== undefined && from !== other
    ? `${from} must not import ${other}: agents know nothing of each other`
    : undefined;
}

function layerOf(path: string): Layer | undefined {
  return layers.find((layer) => path === `src/${layer}` || path.startsWith(`src/${layer}/`));
}

/** The agent whose folder a file is in; folders that all agents share are none. */
function agentOf(path: string): string | undefined {
  const name = /^src\/agents\/([a-z]+)\//.exec(path)?.[1];
  return name === "checkpoints" ? undefined : name;
}

const agentNames: readonly string[] = agents.map(({ name: agent }) => agent);

/** The agent whose name a node makes a case of: in a comparison, a case, a key, a type, or a list of choices. */
function agentBranchedOn(node: ts.Node): string | undefined {
  const { parent } = node;
  if (ts.isStringLiteralLike(node) && agentNames.includes(node.text)) {
    const isCase =
      isComparison(parent) ||
      ts.isCaseClause(parent) ||
      ts.isLiteralTypeNode(parent) ||
      ts.isArrayLiteralExpression(parent) ||
      isKey(node) ||
      (ts.isElementAccessExpression(parent) && parent.argumentExpression === node) ||
      (ts.isPropertyAssignment(parent) && isNamed(parent.name, "agent"));
    return isCase ? node.text : undefined;
  }
  return ts.isIdentifier(node) && agentNames.includes(node.text) && isKey(node) ? node.text : undefined;
}

function isComparison(node: ts.Node): boolean {
  return (
    ts.isBinaryExpression(node) &&
    [
      ts.SyntaxKind.EqualsEqualsEqualsToken,
      ts.SyntaxKind.ExclamationEqualsEqualsToken,
      ts.SyntaxKind.EqualsEqualsToken,
      ts.SyntaxKind.ExclamationEqualsToken,
    ].includes(node.operatorToken.kind)
  );
}

function isKey(node: ts.Node): boolean {
  const { parent } = node;
  return (ts.isPropertyAssignment(parent) || ts.isPropertySignature(parent)) && parent.name === node;
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
