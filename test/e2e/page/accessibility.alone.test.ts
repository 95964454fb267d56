import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { ask, browserAndServer, inBrowser, replyOf, said } from './open-page.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** What axe-core finds on the page as it is now. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  return await page.evaluate(async tags => {
    const { axe } = globalThis as unknown as { axe: typeof import('axe-core') };
    const { violations: found } = await axe.run(document, { runOnly: tags });
    return found.flatMap(({ id, nodes }) =>
      nodes.map(node => `${id}: ${node.target.join(' ')} ${node.html}`),
    );
  }, RULES);
}

inBrowser('the page for everyone', () => {
  const { open } = browserAndServer();

  test.each(['light', 'dark'] as const)('axe-core finds nothing, %s', async colorScheme => {
    const page = await open({ colorScheme });
    expect(await violations(page)).toEqual([]);
    await replyOf(page, 'words');
    await replyOf(page, 'Please add 41');
    await page.locator('.tool-card summary').click();
    await ask(page, 'Please delete a.txt');
    await page.locator('.approval').waitFor();
    await page.getByRole('button', { name: 'Change …' }).click();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Refuse' }).click();
    await said(page, 'It was not deleted.').waitFor();
    for (const name of ['Settings', 'Keys']) {
      await page.getByRole('button', { name }).click();
      await page.getByRole('dialog').waitFor();
      expect(await violations(page)).toEqual([]);
      await page.keyboard.press('Escape');
    }
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Conversations' }).click();
    expect(await violations(page)).toEqual([]);
  });

  test('screen readers hear that a reply comes, what it says, and that a tool waits', async () => {
    const page = await open();
    const announced = page.locator('div[role=status].sr-only').last();
    await replyOf(page, 'Hello');
    expect(await announced.innerText()).toBe('You said: Hello');
    await ask(page, 'Please delete a.txt');
    await page.locator('.approval').waitFor();
    expect(await announced.innerText()).toBe('The tool delete_file waits for your approval.');
    expect(await page.getByRole('article').allTextContents()).toHaveLength(4);
    expect(await page.getByRole('article', { name: 'You' }).count()).toBe(2);
  });

  test('keys lead everywhere', async () => {
    const page = await open();
    await replyOf(page, 'Hello');
    await page.locator('#question').evaluate(field => field.blur());
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('/');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('question');
    await page.keyboard.type('a');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('b?/');
    expect(await page.locator('#question').inputValue()).toBe('a\nb?/');
    await page.keyboard.press('Control+Shift+O');
    await page.locator('.welcome').waitFor();
    await page.reload();
    await page.locator('#question').waitFor();
    await page.getByRole('link', { name: 'Skip to the question' }).focus();
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('question');
  });

  test.each([320, 390, 768])('nothing is cut off at a width of %d', async width => {
    const page = await open({ viewport: { width, height: 720 }, hasTouch: true });
    await replyOf(page, 'words');
    await ask(page, 'Please delete a.txt');
    await page.locator('.approval').waitFor();
    const tooWide = await page.evaluate(() =>
      [...document.querySelectorAll('main *')]
        .filter(element => !element.closest('pre, .table, .sr-only, .brief, svg'))
        .filter(element => element.getBoundingClientRect().right > innerWidth + 1)
        .map(element => element.className || element.localName),
    );
    expect(tooWide).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    await page.getByRole('button', { name: 'Refuse' }).click();
    await said(page, 'It was not deleted.').waitFor();
    await page.getByRole('button', { name: 'Conversations' }).click();
    await page.getByRole('button', { name: 'words', exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')))
      .toBe('Conversations');
  });
});
