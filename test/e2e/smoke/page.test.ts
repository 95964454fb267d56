import { expect, test } from 'vitest';
import { browserAndServer, inBrowser, replyOf } from '../page/open-page.ts';

inBrowser('the page', () => {
  const { open } = browserAndServer();

  test('the first one: the model, its tools, a reply with code, a table and figures', async () => {
    const page = await open();
    expect(await page.getByRole('combobox', { name: 'Model' }).inputValue()).toBe('scripted');
    await page.getByRole('list', { name: 'Tools' }).getByText('files · 4 tools').waitFor();
    await replyOf(page, 'words');
    const reply = page.locator('.reply');
    expect(await reply.locator('li').allInnerTexts()).toEqual(['Read the file', 'Count its words']);
    expect(await reply.locator('.hljs-keyword').first().innerText()).toBe('from');
    expect(await reply.locator('td').allInnerTexts()).toEqual(['the', '42', 'model', '17']);
    expect(await reply.locator('.figures').innerText()).toMatch(/^13 tokens · .*\d+ read$/);
    expect(await page.getByRole('meter').getAttribute('value')).toMatch(/^0\.0/);
    // It is saved when the reply has rested for a moment.
    await page.locator('.conversations').getByText('words').waitFor();
    expect(await page.locator('#question').evaluate(field => field === document.activeElement)).toBe(true);
  });

  test('a harmless call runs; its card says with what, and what came back', async () => {
    const page = await open();
    await replyOf(page, 'Please add 41');
    const card = page.locator('.tool-card');
    await card.getByText('add').first().click();
    expect(await card.innerText()).toMatch(/add[\s\S]*done[\s\S]*"a": 41[\s\S]*Result[\s\S]*42/);
  });
});
