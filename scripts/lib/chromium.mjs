import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const MAC = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';

/** The system's Chromium or Chrome, or the one that LLM_HOST_CHROMIUM names; undefined: there is none. */
export function findChromium() {
  const named = process.env.LLM_HOST_CHROMIUM;
  if (named) return named;
  const folders = (process.env.PATH ?? '').split(delimiter);
  const all = [...folders.flatMap(folder => NAMES.map(name => join(folder, name))), MAC];
  return all.find(path => existsSync(path));
}

/**
 * Starts it without a window.
 * @param {string} executablePath
 * @returns {Promise<import('playwright-core').Browser>}
 */
export async function launchChromium(executablePath) {
  const { chromium } = await import('playwright-core');
  // Its sandbox does not start as root, as in containers.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return await chromium.launch({ executablePath, args });
}
