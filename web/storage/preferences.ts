import { type ChatSettings, DEFAULT_SETTINGS } from '../conversation/types.ts';

export type ThemeChoice = 'system' | 'light' | 'dark';

const THEME = 'llm-host-theme';
const SETTINGS = 'llm-host-settings';

export function storedTheme(): ThemeChoice {
  const stored = readItem(THEME);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

export function storeTheme(theme: ThemeChoice): void {
  writeItem(THEME, theme);
}

/** The settings with which the last conversation began. */
export function storedSettings(): ChatSettings {
  try {
    const stored: unknown = JSON.parse(readItem(SETTINGS) ?? '{}');
    return typeof stored === 'object' ? { ...DEFAULT_SETTINGS, ...stored } : DEFAULT_SETTINGS;
  } catch {
    return DEFAULT_SETTINGS;
  }
}

export function storeSettings(settings: ChatSettings): void {
  writeItem(SETTINGS, JSON.stringify(settings));
}

/** A browser may refuse to keep anything; the page works without. */
function readItem(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

function writeItem(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    // Full or forbidden: the choice holds until the page is closed.
  }
}
