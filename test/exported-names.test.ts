import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../src/", import.meta.url));
const sources = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((path) =>
  /\.tsx?$/.test(path),
);

/** Names that a file declares and exports; what it passes on from another file is left out. */
function exportedNames(text: string): readonly string[] {
  const file = ts.createSourceFile("a.tsx", text, ts.ScriptTarget.Latest, true);
  return file.statements.flatMap((statement) => {
    const isExported =
      ts.canHaveModifiers(statement) &&
      ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;
    if (!isExported) return [];
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.map(({ name }) => name.getText(file));
    const isNamed =
      ts.isFunctionDeclaration(statement) ||
      ts.isClassDeclaration(statement) ||
      ts.isInterfaceDeclaration(statement) ||
      ts.isTypeAliasDeclaration(statement);
    return isNamed && statement.name !== undefined ? [statement.name.text] : [];
  });
}

test("no exported name means two things", () => {
  const homes = new Map<string, string[]>();
  for (const path of sources) {
    for (const name of new Set(exportedNames(readFileSync(root + path, "utf8")))) {
      homes.set(name, [...(homes.get(name) ?? []), path]);
    }
  }
  expect(homes.size).toBeGreaterThan(500);
  // Every command exports its table under this name, and every bundle its entry.
  for (const name of ["command", "runProcess"]) homes.delete(name);
  expect([...homes].filter(([, paths]) => paths.length > 1)).toEqual([]);
});
