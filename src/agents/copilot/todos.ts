import { once } from "../../fs/once.ts";
import type { WorkItem } from "../../session/entry.ts";

/** The todo list of a session. Copilot CLI has the model keep it in a table `todos`, with SQL statements. */
export type TodoList = Readonly<Record<string, Pick<WorkItem, "text" | "status">>>;

/**
 * Applies statements to the list; returns the same list if they do not change it. Complicated statements are ignored.
 */
export function applySql(list: TodoList, query: string): TodoList {
  let changed = list;
  for (const statement of splitStatements(tokensOf(query))) changed = applyStatement(changed, statement);
  return changed;
}

const STATUSES: Readonly<Record<string, WorkItem["status"]>> = {
  pending: "pending",
  in_progress: "in_progress",
  blocked: "pending",
  done: "completed",
  completed: "completed",
};

interface Token {
  readonly kind: "word" | "text" | "sign";
  readonly text: string;
}

/** Compiled when first needed, as Unicode properties are slow to compile. */
const word = once(() => /[\p{L}\p{N}_.*-]/u);

/** Words, quoted texts (in which a quote is doubled), and punctuation. */
function tokensOf(query: string): readonly Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < query.length; ) {
    const sign = query[at] ?? "";
    if (sign === "'") {
      let text = "";
      for (at++; at < query.length; at++) {
        if (query[at] === "'") {
          if (query[at + 1] !== "'") break;
          at++;
        }
        text += query[at];
      }
      at++;
      tokens.push({ kind: "text", text });
    } else if (word().test(sign)) {
      const start = at;
      while (at < query.length && word().test(query[at] ?? "")) at++;
      tokens.push({ kind: "word", text: query.slice(start, at).toLowerCase() });
    } else {
      at++;
      if (!/[\s"`]/.test(sign)) tokens.push({ kind: "sign", text: sign });
    }
  }
  return tokens;
}

function splitStatements(tokens: readonly Token[]): readonly (readonly Token[])[] {
  const statements: Token[][] = [[]];
  for (const token of tokens) {
    if (token.kind === "sign" && token.text === ";") statements.push([]);
    else statements.at(-1)?.push(token);
  }
  return statements;
}

function applyStatement(list: TodoList, statement: readonly Token[]): TodoList {
  const [first] = statement;
  const table = statement.findIndex(({ kind, text }) => kind === "word" && text === "todos");
  if (table === -1) return list;
  const rest = statement.slice(table + 1);
  switch (first?.text) {
    case "insert":
    case "replace":
      return { ...list, ...inserted(rest) };
    case "update": {
      const change = changeOf(rest);
      const isMeant = conditionOf(rest);
      return Object.fromEntries(
        Object.entries(list).map(([id, item]) => [id, isMeant(id, item) ? { ...item, ...change } : item]),
      );
    }
    case "delete": {
      const isMeant = conditionOf(rest);
      return Object.fromEntries(Object.entries(list).filter(([id, item]) => !isMeant(id, item)));
    }
    default:
      return list;
  }
}

/** `(columns) values (…), (…)`. */
function inserted(tokens: readonly Token[]): TodoList {
  const [columns = [], ...lists] = bracketsIn(tokens);
  const names = columns.map(([token]) => token?.text ?? "");
  const rows: Record<string, TodoList[string]> = {};
  for (const values of lists) {
    const field = (name: string): string | undefined => values[names.indexOf(name)]?.[0]?.text;
    const [id, text] = [field("id"), field("title")];
    if (id === undefined || text === undefined || id === "__proto__") continue;
    rows[id] = { text, status: STATUSES[field("status") ?? ""] ?? "pending" };
  }
  return rows;
}

/** The content of each pair of brackets, split at commas; nested brackets belong to their value. */
function bracketsIn(tokens: readonly Token[]): readonly (readonly (readonly Token[])[])[] {
  const lists: Token[][][] = [];
  let depth = 0;
  for (const token of tokens) {
    const sign = token.kind === "sign" ? token.text : "";
    if (sign === "(" && ++depth === 1) lists.push([[]]);
    else if (sign === ")") depth--;
    else if (depth === 1 && sign === ",") lists.at(-1)?.push([]);
    else if (depth > 0) lists.at(-1)?.at(-1)?.push(token);
  }
  return lists;
}

/** `set status = 'done', title = '…'`. */
function changeOf(tokens: readonly Token[]): Partial<TodoList[string]> {
  const value = (name: string): string | undefined => {
    const at = tokens.findIndex(({ kind, text }, index) => {
      return kind === "word" && text === name && tokens[index + 1]?.text === "=";
    });
    const found = at === -1 ? undefined : tokens[at + 2];
    return found?.kind === "text" ? found.text : undefined;
  };
  const [status, text] = [value("status"), value("title")];
  return {
    ...(status === undefined ? {} : { status: STATUSES[status] ?? "pending" }),
    ...(text === undefined ? {} : { text }),
  };
}

type Condition = (id: string, item: TodoList[string]) => boolean;

/**
 * `where id = '…'`, `where id in (…)`, the same of `status` and `title`, `!=` and `not in`, several joined by `and`. Rows of a
 * condition that is not understood stay unchanged.
 */
function conditionOf(tokens: readonly Token[]): Condition {
  const isWord = (token: Token, text: string): boolean => token.kind === "word" && token.text === text;
  const where = tokens.findIndex((token) => isWord(token, "where"));
  if (where === -1) return () => true;
  const parts: Token[][] = [[]];
  for (const token of tokens.slice(where + 1)) {
    if (isWord(token, "and")) parts.push([]);
    else parts.at(-1)?.push(token);
  }
  const conditions = parts.map(readCondition);
  return (id, item) => conditions.every((isMet) => isMet?.(id, item) === true);
}

const OPERATORS: ReadonlyMap<string, boolean> = new Map([
  ["=", true],
  ["in", true],
  ["!=", false],
  ["<>", false],
  ["not in", false],
]);

function readCondition([column, ...rest]: readonly Token[]): Condition | undefined {
  const first = rest.findIndex(({ kind, text }) => kind === "text" || text === "(");
  const words = rest.slice(0, Math.max(0, first));
  const operator = words.map(({ text }) => text).join(words.every(({ kind }) => kind === "word") ? " " : "");
  const isWanted = OPERATORS.get(operator);
  const values = rest.slice(Math.max(0, first));
  const hasOther = values.some(
    ({ kind, text }) => kind === "word" || (kind === "sign" && !/[(),]/.test(text)),
  );
  if (isWanted === undefined || hasOther) return undefined;
  const texts = new Set(values.filter(({ kind }) => kind === "text").map(({ text }) => text));
  switch (column?.text) {
    case "id":
      return (id) => texts.has(id) === isWanted;
    case "title":
      return (_id, { text }) => texts.has(text) === isWanted;
    case "status": {
      const statuses = new Set([...texts].map((text) => STATUSES[text]));
      return (_id, { status }) => statuses.has(status) === isWanted;
    }
    default:
      return undefined;
  }
}
