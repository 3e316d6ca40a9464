import type { JSX } from "preact";

/** Outlines on a grid of 24, drawn with lines. */
const paths = {
  search: "M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13Zm4.8-1.7L20 20",
  folder:
    "M3.5 7.5v10a1.5 1.5 0 0 0 1.5 1.5h14a1.5 1.5 0 0 0 1.5-1.5V9A1.5 1.5 0 0 0 19 7.5h-7L10 5H5a1.5 1.5 0 0 0-1.5 1.5v1Z",
  file: "M7 3.5h7l4 4V20a.5.5 0 0 1-.5.5h-10A1.5 1.5 0 0 1 6 19V4.5a1 1 0 0 1 1-1ZM13.5 4v4H18M9 12.5h6M9 16h6",
  check: "M4 12.5l4 4 4.5-6M13 7h7M15 12h5M13 17h7",
  activity: "M4 19.5h16M6 16v-4M10 16V7M14 16v-6M18 16V4.5",
  shield: "M12 3.5 5 6v5.5c0 4.3 2.9 7.5 7 9 4.1-1.5 7-4.7 7-9V6l-7-2.5ZM9 12l2.2 2.2L15.5 10",
  back: "M14.5 5.5 8 12l6.5 6.5",
  copy: "M9 9h9.5v10.5H9zM6 15.5H5V4.5h9.5V6",
  download: "M12 4v10.5M7.5 10.5 12 15l4.5-4.5M5 19.5h14",
  archive: "M4 5h16v4H4zM5.5 9v10h13V9M10 13h4",
  restore: "M4.5 12a7.5 7.5 0 1 0 2.4-5.5M4.5 4.5v4h4",
  outline: "M8 6.5h12M8 12h12M8 17.5h12M4 6.5h.01M4 12h.01M4 17.5h.01",
  sun: "M12 16.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9ZM12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4",
  moon: "M19.5 14.5A8 8 0 0 1 9.5 4.5a8 8 0 1 0 10 10Z",
  contrast: "M12 20.5a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17ZM12 3.5v17",
  keyboard: "M3 7h18v10H3zM6.5 10.5h.01M10 10.5h.01M13.5 10.5h.01M17 10.5h.01M8 14h8",
  close: "M6 6l12 12M18 6 6 18",
  branch:
    "M7 4v10M7 20a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM17 9a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM17 9c0 4-4 4.5-8 6",
  clear: "M7 7l10 10M17 7 7 17",
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { readonly name: IconName }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
