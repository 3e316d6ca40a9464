/** Light, dark, or as the system prefers. */
export type Theme = "system" | "light" | "dark";

const KEY = "sessions-theme";
const themes: readonly Theme[] = ["system", "light", "dark"];

export function currentTheme(): Theme {
  return themes.find((theme) => theme === localStorage.getItem(KEY)) ?? "system";
}

export function applyTheme(theme: Theme = currentTheme()): void {
  localStorage.setItem(KEY, theme);
  document.documentElement.dataset.theme = theme;
}

export function nextTheme(theme: Theme): Theme {
  return themes[(themes.indexOf(theme) + 1) % themes.length] ?? "system";
}
