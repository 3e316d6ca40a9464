import { expect, test } from "vitest";
import { applySql, type TodoList } from "../../../src/agents/copilot/todos.ts";

const list: TodoList = {
  a: { text: "Paint", status: "pending" },
  b: { text: "Draw", status: "in_progress" },
};
const shown = (items: TodoList): readonly string[] =>
  Object.entries(items).map(([id, { text, status }]) => `${id} ${status} ${text}`);

test.each<[string, string, readonly string[]]>([
  [
    "adds rows",
    "INSERT OR REPLACE INTO todos (id, title, status) VALUES ('c', 'Ship (it); now', 'blocked'), ('b', 'Draw it''s wall', 'done')",
    ["a pending Paint", "b completed Draw it's wall", "c pending Ship (it); now"],
  ],
  [
    "adds rows with values that are no texts",
    "insert into todos (title, id, description) values ('Ship', 'c', NULL), ('No id', datetime('now', 'x'), 1)",
    ["a pending Paint", "b in_progress Draw", "c pending Ship", "datetime pending No id"],
  ],
  [
    "changes one",
    `UPDATE "todos" SET status = 'done', updated_at = datetime('now') WHERE id = 'a'`,
    ["a completed Paint", "b in_progress Draw"],
  ],
  [
    "changes several, and their titles",
    "update todos set title = 'Both' where id in ('a', 'b'); update todos set status='done'",
    ["a completed Both", "b completed Both"],
  ],
  ["removes one", "DELETE FROM todos WHERE id = 'a'", ["b in_progress Draw"]],
  [
    "changes those in a state",
    "UPDATE todos SET status='done' WHERE status = 'in_progress'",
    ["a pending Paint", "b completed Draw"],
  ],
  [
    "changes those that meet every condition",
    "update todos set status = 'done' where status != 'done' and id not in ('b', 'c')",
    ["a completed Paint", "b in_progress Draw"],
  ],
  ["removes what has another title", "delete from todos where title <> 'Draw'", ["b in_progress Draw"]],
  [
    "leaves conditions that it does not know alone",
    "DELETE FROM todos WHERE status = 'pending' OR id = 'b'; DELETE FROM todos WHERE id LIKE 'a%'; DELETE FROM todos WHERE id = 'a' AND priority > 1; DELETE FROM todos WHERE id IN (SELECT id FROM todos)",
    shown(list),
  ],
  ["reads nothing out of other statements", "SELECT * FROM todos; DELETE FROM todo_deps", shown(list)],
  ["reads nothing out of nonsense", "insert into todos ((('''", shown(list)],
])("a statement %s", (_, query, expected) => {
  expect(shown(applySql(list, query))).toEqual(expected);
});

test("a statement that says nothing of the list leaves it the same", () => {
  expect(applySql(list, "SELECT 1")).toBe(list);
});

test("no query takes long, however its quotes and brackets are nested", () => {
  const query = `insert into todos (id, title) values ${"('".repeat(20_000)}${"''".repeat(20_000)}`;
  expect(applySql(list, query)).toMatchObject(list);
});
