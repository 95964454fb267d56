import type { ThemeChoice } from '../storage/preferences.ts';

/** `system`: as the browser wants it. */
export function applyTheme(theme: ThemeChoice): void {
  const { dataset } = document.documentElement;
  if (theme === 'system') delete dataset.theme;
  else dataset.theme = theme;
}
