import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest';
import { findChromium, launchChromium } from '../../../scripts/lib/chromium.mjs';
import { type ScriptedServe, startScripted } from '../../../scripts/lib/scripted-serve.mjs';
import { ROOT } from '../program.ts';

const CHROMIUM = findChromium();
const BUILT = existsSync(join(ROOT, 'dist/web/index.html'));

/** Tests in a browser, if there is one. */
export const inBrowser = (name: string, tests: () => void) =>
  describe.skipIf(CHROMIUM === undefined || !BUILT)(
    `${name} (needs the page, npm run build, and Chromium; LLM_HOST_CHROMIUM names one)`,
    tests,
  );

const MODULE = new URL('replies.mjs', import.meta.url).pathname;

/** `serve` over the scripted engine, with replies of these tests. */
export const startServer = (args: readonly string[] = [], port = 0): Promise<ScriptedServe> =>
  startScripted({ module: MODULE, msPerToken: 2, charsPerToken: 32 }, { args, port });

/** One browser and one server for the tests of a file. */
export function browserAndServer() {
  const shared = {} as { browser: Browser; server: ScriptedServe };
  beforeAll(async () => {
    shared.server = await startServer();
    shared.browser = await launchChromium(CHROMIUM as string);
  });
  afterAll(async () => {
    await shared.browser?.close();
    await shared.server?.stop();
  });
  return {
    get server() {
      return shared.server;
    },
    /** The page in a browser that has never seen it. */
    open: (options: OpenOptions = {}, url = shared.server.url) => openPage(shared.browser, url, options),
  };
}

interface OpenOptions extends BrowserContextOptions {
  /** The test itself does what the page must not. */
  readonly misbehaves?: boolean;
}

/** What a page must never do is looked at when the test has ended. */
async function openPage(
  browser: Browser,
  url: string,
  { misbehaves, ...options }: OpenOptions,
): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1100, height: 800 }, ...options });
  const faults: string[] = [];
  const { origin } = new URL(url);
  context.on('request', request => {
    if (!request.url().startsWith(origin) && !request.url().startsWith(`blob:${origin}`))
      faults.push(`asked for ${request.url()}`);
  });
  context.on('weberror', error => faults.push(String(error.error())));
  context.on('console', message => {
    if (/Content Security Policy|Trusted Type|React/.test(message.text())) faults.push(message.text());
  });
  onTestFinished(async () => {
    await context.close();
    if (!misbehaves) expect(faults).toEqual([]);
  });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  await page.goto(url);
  await page.locator('#question').waitFor();
  return page;
}

export async function ask(page: Page, text: string): Promise<void> {
  await page.locator('#question').fill(text);
  await page.keyboard.press('Enter');
}

/** A paragraph of a reply; screen readers are told the whole reply elsewhere. */
export const said = (page: Page, text: string) => page.locator('.prose').getByText(text).first();

/** The text of the last reply once it has ended. */
export async function replyOf(page: Page, question: string): Promise<string> {
  const before = await page.locator('.reply').count();
  await ask(page, question);
  const last = page.locator('.reply').nth(before);
  await last.locator('.figures').waitFor();
  return await last.locator('.prose').last().innerText();
}
