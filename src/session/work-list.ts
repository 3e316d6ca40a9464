import type { WorkItem, WorkUpdate } from "./entry.ts";

/** The agent's own list of work: updates in order, the last state wins. */
export interface WorkList {
  update(update: WorkUpdate, callId: string): void;
  items(): readonly WorkItem[];
}

export function createWorkList(): WorkList {
  let list: readonly WorkItem[] = [];
  /** Tasks by id; a task whose id did not come is known by its call. */
  const tasks = new Map<string, WorkItem>();
  return {
    update(update, callId) {
      switch (update.kind) {
        case "list":
          list = update.items;
          return;
        case "create":
          tasks.set(`call:${callId}`, { text: update.text, status: "pending" });
          return;
        case "created": {
          const created = tasks.get(`call:${callId}`);
          tasks.delete(`call:${callId}`);
          tasks.set(update.id, {
            id: update.id,
            text: update.text ?? created?.text ?? "",
            status: "pending",
          });
          return;
        }
        case "update": {
          const task = tasks.get(update.id) ?? { id: update.id, text: "", status: "pending" };
          tasks.set(update.id, {
            ...task,
            text: update.text ?? task.text,
            status: update.status ?? task.status,
          });
          return;
        }
        case "plan":
          return;
      }
    },
    items: () => [...list, ...tasks.values()].filter((item) => item.text !== ""),
  };
}
