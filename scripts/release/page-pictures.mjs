// Makes the pictures of docs/page.md from the built page, over the scripted engine: node scripts/release/page-pictures.mjs
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildPage } from '../build/page.mjs';
import { buildDist } from '../build/typescript.mjs';
import { findChromium, launchChromium } from '../lib/chromium.mjs';
import { root } from '../lib/project.mjs';
import { startScripted } from '../lib/scripted-serve.mjs';
import { runMain, SetupError } from '../lib/setup-error.mjs';

const WIDE = { width: 1000, height: 720 };
const PHONE = { width: 390, height: 760 };
const QUALITY = 80;

await runMain(async () => {
  const chromium = findChromium();
  if (!chromium) throw new SetupError('Chromium was not found', { hint: 'apt install chromium' });
  await buildDist();
  await buildPage();
  const module = join(root, 'test/e2e/page/replies.mjs');
  const server = await startScripted({ module, msPerToken: 2, charsPerToken: 4 });
  const browser = await launchChromium(chromium);
  try {
    const page = await browser.newPage({ viewport: WIDE, colorScheme: 'light' });
    await page.goto(server.url);
    await ask(page, 'How do I count the words of a file?', '.figures');
    await picture(page, 'page-light');
    await page.emulateMedia({ colorScheme: 'dark' });
    await ask(page, 'Please add 41 to it', '.reply:nth-of-type(4) .figures');
    await ask(page, 'Now delete notes.txt', '.approval');
    await picture(page, 'page-approval');
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize(PHONE);
    await picture(page, 'page-phone');
  } finally {
    await browser.close();
    await server.stop();
  }
});

async function ask(page, question, until) {
  await page.locator('#question').fill(question);
  await page.keyboard.press('Enter');
  await page.locator(until).waitFor();
}

/** As WebP, which is a third of PNG. */
async function picture(page, name) {
  // Styles have settled.
  await page.waitForTimeout(500);
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY });
  writeFileSync(join(root, 'docs/pictures', `${name}.webp`), Buffer.from(data, 'base64'));
}
