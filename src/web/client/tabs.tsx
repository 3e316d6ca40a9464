import type { JSX } from "preact";
import { useRef } from "preact/hooks";

interface TabsProps<T extends string> {
  readonly label: string;
  readonly tabs: readonly (readonly [name: T, says: string])[];
  readonly chosen: T;
  readonly onChoose: (name: T) => void;
}

/** A row of tabs. Tab reaches the chosen one, the arrow keys the others. */
export function Tabs<T extends string>({ label, tabs, chosen, onChoose }: TabsProps<T>): JSX.Element {
  const list = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent): void => {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (by === 0) return;
    const at = tabs.findIndex(([name]) => name === chosen);
    const next = (at + by + tabs.length) % tabs.length;
    const [name] = tabs[next] ?? [];
    if (name === undefined) return;
    event.preventDefault();
    onChoose(name);
    list.current?.querySelectorAll("button")[next]?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label={label} ref={list} onKeyDown={move}>
      {tabs.map(([name, says]) => (
        <button
          key={name}
          type="button"
          role="tab"
          aria-selected={chosen === name}
          tabIndex={chosen === name ? 0 : -1}
          onClick={() => onChoose(name)}
        >
          {says}
        </button>
      ))}
    </div>
  );
}
