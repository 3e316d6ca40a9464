import type { ComponentChildren, JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

interface VirtualListProps {
  readonly label: string;
  readonly total: number;
  /** All rows have the same height, in pixels. */
  readonly rowHeight: number;
  /** The row that is kept in view; -1 if there is none. */
  readonly selected: number;
  /** Changes if the rows differ from before: then the list starts at its top again. */
  readonly resetKey: string;
  readonly row: (index: number) => ComponentChildren;
  /** Called with the rows that come into view, and with the visible rows when the function changes. */
  readonly onShow: (first: number, last: number) => void;
}

/** Rows above and below the visible ones, so that scrolling shows no gaps. */
const MARGIN_ROWS = 8;

/** Shows a list of any length: only the rows in view exist. */
export function VirtualList(props: VirtualListProps): JSX.Element {
  const { label, total, rowHeight, selected, resetKey, row, onShow } = props;
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 800 });
  const first = Math.max(0, Math.floor(view.top / rowHeight) - MARGIN_ROWS);
  const last = Math.min(total - 1, Math.ceil((view.top + view.height) / rowHeight) + MARGIN_ROWS);

  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const measure = (): void => setView({ top: element.scrollTop, height: element.clientHeight });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.addEventListener("scroll", measure, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", measure);
    };
  }, []);
  useLayoutEffect(() => box.current?.scrollTo(0, 0), [resetKey]);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null || selected < 0) return;
    const top = selected * rowHeight;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + rowHeight > element.scrollTop + element.clientHeight)
      element.scrollTop = top + rowHeight - element.clientHeight;
  }, [selected]);
  useEffect(() => {
    if (last >= first) onShow(first, last);
  }, [first, last, resetKey, total, onShow]);

  const rows: JSX.Element[] = [];
  for (let index = first; index <= last; index++) {
    rows.push(
      <li key={index} class="row" style={{ top: `${index * rowHeight}px`, height: `${rowHeight}px` }}>
        {row(index)}
      </li>,
    );
  }
  return (
    <div class="virtual" ref={box}>
      <ul aria-label={label} style={{ height: `${total * rowHeight}px` }}>
        {rows}
      </ul>
    </div>
  );
}
