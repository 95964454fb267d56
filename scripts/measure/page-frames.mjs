// How long the page of `serve` takes for a frame while a reply of 2,000 lines arrives at 200 tokens a second, from the scripted engine:
// node scripts/measure/page-frames.mjs. A frame is what the page computes for it: state, elements, styles, layout, paint.
import { join } from 'node:path';
import { buildPage } from '../build/page.mjs';
import { buildDist } from '../build/typescript.mjs';
import { findChromium, launchChromium } from '../lib/chromium.mjs';
import { root } from '../lib/project.mjs';
import { startScripted } from '../lib/scripted-serve.mjs';
import { runMain, SetupError } from '../lib/setup-error.mjs';

const MS_PER_TOKEN = 5;
const LIMIT_MS = 120_000;

/** Characters of a token, and what is asked. */
const RUNS = [
  { name: 'words, 4 characters a token, for 20 s', question: 'long', charsPerToken: 4, seconds: 20 },
  { name: 'words, a line a token, 2,000 lines', question: 'long', charsPerToken: 28 },
  { name: 'code, 2,000 lines', question: 'program', charsPerToken: 28 },
];

await runMain(async () => {
  const chromium = findChromium();
  if (!chromium) throw new SetupError('Chromium was not found', { hint: 'apt install chromium' });
  await buildDist();
  await buildPage();
  const browser = await launchChromium(chromium);
  try {
    for (const run of RUNS) console.log(JSON.stringify({ run: run.name, ...(await measure(browser, run)) }));
  } finally {
    await browser.close();
  }
});

async function measure(browser, { question, charsPerToken, seconds }) {
  const module = join(root, 'test/e2e/page/replies.mjs');
  const server = await startScripted({ module, msPerToken: MS_PER_TOKEN, charsPerToken });
  const page = await browser.newPage();
  try {
    await page.addInitScript(watchFrames);
    await page.goto(server.url);
    await page.locator('#question').fill(question);
    await page.keyboard.press('Enter');
    await page.locator('.prose').waitFor();
    await page.evaluate('frames.length = 0');
    if (seconds) await page.waitForTimeout(seconds * 1000);
    else await page.locator('.figures').waitFor({ timeout: LIMIT_MS });
    return figures(await page.evaluate('frames'));
  } finally {
    await page.close();
    await server.stop();
  }
}

/** In the page: from the beginning of a frame to the first task after it, in milliseconds. */
function watchFrames() {
  globalThis.frames = [];
  const { port1, port2 } = new MessageChannel();
  let began = 0;
  port1.onmessage = () => globalThis.frames.push(performance.now() - began);
  const next = () => {
    began = performance.now();
    port2.postMessage(0);
    requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
}

function figures(frames) {
  const sorted = [...frames].sort((a, b) => a - b);
  const at = share => Number((sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(2));
  return { frames: frames.length, medianMs: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99), maxMs: at(1) };
}
