import { readFileSync } from "node:fs";
import { dirname, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../src/", import.meta.url));

/** What the declarations of a file import; `isolatedDeclarations` lets each be made by itself. */
function importsOfTypes(path: string): readonly string[] {
  const { outputText } = ts.transpileDeclaration(readFileSync(root + path, "utf8"), {
    fileName: path,
    compilerOptions: { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2023 },
  });
  return ts.preProcessFile(outputText).importedFiles.map(({ fileName }) => fileName);
}

test("the types of the library need nothing but those of Node: the package brings nothing along", () => {
  const seen = new Set(["index.ts"]);
  const foreign: string[] = [];
  for (const path of seen) {
    for (const name of importsOfTypes(path)) {
      if (name.startsWith(".")) seen.add(normalize(`${dirname(path)}/${name}`));
      else if (!name.startsWith("node:")) foreign.push(`${path}: ${name}`);
    }
  }
  expect(seen.size).toBeGreaterThan(100);
  expect(foreign).toEqual([]);
});
