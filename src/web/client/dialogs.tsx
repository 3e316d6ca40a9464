import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Icon } from "./icon.tsx";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A dialog over the page; Escape and a click beside it close it. */
export function Dialog({ title, onClose, children }: DialogProps): JSX.Element {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => box.current?.showModal(), []);
  return (
    <dialog
      ref={box}
      aria-label={title}
      onClose={onClose}
      onMouseDown={(event) => {
        if (event.target === box.current) box.current?.close();
      }}
    >
      <div class="dialog-body">
        <header>
          <h2>{title}</h2>
          <button type="button" class="quiet" aria-label="Close" onClick={() => box.current?.close()}>
            <Icon name="close" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}

const keys: readonly (readonly [string, string])[] = [
  ["/", "search"],
  ["↓ ↑ or j k", "next, previous session"],
  ["n p", "next, previous turn"],
  ["o", "outline of the session"],
  ["c", "what the agent sees now, or the conversation"],
  ["y", "copy the resume command"],
  ["Esc", "back to the list; clear the search"],
  ["?", "this list"],
];

const operators: readonly (readonly [string, string])[] = [
  ['"exact words"', "a phrase"],
  ["-word", "without this word"],
  ["pre*", "words that begin with this"],
  ["project:shop", "also agent: branch: tool: file:"],
  ["machine:vm", "only this machine; machine:local is this one"],
  ["cmd:docker error:timeout", "words of commands and errors"],
  ["title:auth", "words of the title"],
  ["in:compacted", "current, compacted, branch, subagent"],
  ["since:7d until:yesterday", "by the time of the turn"],
];

export function KeysDialog({ onClose }: { readonly onClose: () => void }): JSX.Element {
  return (
    <Dialog title="Keys and operators" onClose={onClose}>
      <div class="columns">
        <Pairs title="Keys" pairs={keys} />
        <Pairs title="In a search" pairs={operators} />
      </div>
    </Dialog>
  );
}

function Pairs(props: {
  readonly title: string;
  readonly pairs: readonly (readonly [string, string])[];
}): JSX.Element {
  return (
    <section>
      <h3>{props.title}</h3>
      <dl class="pairs">
        {props.pairs.map(([term, says]) => (
          <div key={term}>
            <dt>
              <kbd>{term}</kbd>
            </dt>
            <dd>{says}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
