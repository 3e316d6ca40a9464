import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Icon } from "./icon.tsx";
import { applyTheme, currentTheme, nextTheme } from "./theme.ts";

/** The colours, and the list of keys: below the navigation, on a phone beside the search. */
export function PageTools({ onHelp }: { readonly onHelp: () => void }): JSX.Element {
  const [theme, setTheme] = useState(currentTheme());
  const change = (): void => {
    const next = nextTheme(theme);
    applyTheme(next);
    setTheme(next);
  };
  return (
    <>
      <button type="button" onClick={change} title={`Colours: ${theme}`} aria-label={`Colours: ${theme}`}>
        <Icon name={theme === "dark" ? "moon" : theme === "light" ? "sun" : "contrast"} />
      </button>
      <button type="button" onClick={onHelp} title="Keys (?)" aria-label="Keys">
        <Icon name="keyboard" />
      </button>
    </>
  );
}
