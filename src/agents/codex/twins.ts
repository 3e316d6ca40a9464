/**
 * Codex writes the same words twice: as an item of the model's history, and as an event for its
 * interface. Either may be missing, and either may come first. The first is taken, and its twin left out.
 */
export type TwinSource = "item" | "event";
type TwinKind = "request" | "reply" | "thinking" | "bash";

export interface Twins {
  /** True where the other source has said the same before. */
  isTwin(kind: TwinKind, source: TwinSource, text: string): boolean;
  /** The model has answered, or the user asked anew: twins of what was said before will not come. */
  close(...kinds: readonly TwinKind[]): void;
  /** What may still get a twin. */
  open(): readonly OpenText[];
}

export interface OpenText {
  readonly kind: TwinKind;
  readonly source: TwinSource;
  readonly text: string;
}

/** A turn may have hundreds of texts whose twins never come. */
const MAX_OPEN = 32;

export function createTwins(before: readonly OpenText[]): Twins {
  let open = [...before];
  return {
    open: () => open,
    isTwin(kind, source, given) {
      const text = given.trim();
      const found = open.findIndex(
        (other) => other.kind === kind && other.source !== source && isSame(other.text, text, kind),
      );
      if (found !== -1) {
        open.splice(found, 1);
        return true;
      }
      open.push({ kind, source, text });
      if (open.length > MAX_OPEN) open.shift();
      return false;
    },
    close(...kinds) {
      if (open.length > 0) open = open.filter((text) => !kinds.includes(text.kind));
    },
  };
}

/** Around a prompt with images, the item has the names of the images as well. */
function isSame(a: string, b: string, kind: TwinKind): boolean {
  if (a === b) return true;
  return kind === "request" && a !== "" && b !== "" && (a.includes(b) || b.includes(a));
}
