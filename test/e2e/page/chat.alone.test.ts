import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { ask, browserAndServer, inBrowser, replyOf, said } from './open-page.ts';

inBrowser('a chat on the page', () => {
  const { open, server } = lazily(browserAndServer());

  test('a file goes with a question; what is not text does not', async () => {
    const page = await open();
    const input = page.getByLabel('Text files', { exact: true });
    await input.setInputFiles([
      { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('It is blue.\n') },
      { name: 'x.bin', mimeType: 'application/octet-stream', buffer: Buffer.from([0xff, 0x00]) },
    ]);
    await page.getByText('x.bin is not a text file').waitFor();
    expect(await replyOf(page, 'Which colour?')).toContain('It is blue.');
    expect(await page.locator('.question .files').innerText()).toContain('note.txt');
    expect(await page.locator('.composer .files').count()).toBe(0);
  });

  test('pasted and dropped text goes into the field, also with a picture of it beside; files are attached', async () => {
    const page = await open();
    /** Whether the page takes what is pasted or dropped from the browser. */
    const taken = (type: 'paste' | 'drop', text: string, ...files: [name: string, type: string][]) =>
      page.locator('#question').evaluate(
        (field, given) => {
          const data = new DataTransfer();
          if (given.text !== '') data.setData('text/plain', given.text);
          for (const [name, mime] of given.files) data.items.add(new File(['It is.'], name, { type: mime }));
          const init = { bubbles: true, cancelable: true };
          const event =
            given.type === 'paste'
              ? new ClipboardEvent('paste', { ...init, clipboardData: data })
              : new DragEvent('drop', { ...init, dataTransfer: data });
          return !field.dispatchEvent(event);
        },
        { type, text, files },
      );
    expect(await taken('paste', 'a\tb', ['image.png', 'image/png'])).toBe(false);
    expect(await taken('drop', 'some words')).toBe(false);
    expect(await page.locator('.composer .error').count()).toBe(0);
    expect(await taken('paste', 'note.txt', ['note.txt', 'text/plain'])).toBe(true);
    await page.locator('.composer .files').getByText('note.txt').waitFor();
    expect(await taken('drop', '', ['more.txt', 'text/plain'])).toBe(true);
    await page.locator('.composer .files').getByText('more.txt').waitFor();
  });

  test('a link whose address is defined further on is one as soon as the reply has ended', async () => {
    const page = await open();
    await replyOf(page, 'references');
    const links = await page
      .locator('.prose a')
      .evaluateAll(found => found.map(a => [a.textContent, a.getAttribute('href')]));
    expect(links).toEqual([
      ['the first', 'https://example.org/one'],
      ['the second', 'https://example.org/two'],
    ]);
  });

  test('a stopped reply keeps what has come, and the server stops too', async () => {
    const page = await open();
    await ask(page, 'slow');
    await page.locator('.prose').filter({ hasText: 'word 50' }).waitFor();
    await page.getByRole('button', { name: 'Stop the reply' }).click();
    await page.locator('.figures').filter({ hasText: 'Stopped' }).waitFor();
    expect(await page.locator('.prose').innerText()).toMatch(/^word 0 word 1 /);
    await expect.poll(() => activeRequests(server().url)).toBe(0);
    await ask(page, 'slow again');
    await page.locator('.reply').nth(1).locator('.prose').waitFor();
    await page.keyboard.press('Escape');
    expect(await replyOf(page, 'Hello')).toBe('You said: Hello');
  });

  test('after a reload everything is there; a reply that was being written has stopped', async () => {
    const page = await open();
    await replyOf(page, 'words');
    await ask(page, 'slow');
    await page.locator('.prose').filter({ hasText: 'word 50' }).waitFor();
    await page.reload();
    await page.locator('.figures').filter({ hasText: 'Stopped' }).waitFor();
    expect(await page.locator('.question').count()).toBe(2);
    expect(await page.locator('.prose').last().innerText()).toMatch(/^word 0 word 1 /);
    await page.getByRole('button', { name: 'Another reply' }).last().click();
    await page.getByRole('button', { name: 'Stop the reply' }).click();
    await page.getByText('2 / 2').waitFor();
  });

  test('2,000 lines: all are there, the end stays in sight, and whoever scrolls away is left alone', async () => {
    const page = await open();
    await ask(page, 'long');
    await page.getByText('Line 400 of', { exact: false }).first().waitFor();
    const thread = page.getByRole('region', { name: 'Messages' });
    await page.getByText('Line 600 of', { exact: false }).first().waitFor();
    expect(await fromEnd(page)).toBeLessThan(200);
    await thread.evaluate(element => element.scrollTo(0, 0));
    await page.locator('.figures').waitFor({ timeout: 60_000 });
    expect(await page.locator('.figures').innerText()).toMatch(
      /^\d+ tokens · \d+(\.\d)? tokens\/s · \d+ read$/,
    );
    expect(await thread.evaluate(element => element.scrollTop)).toBe(0);
    const text = await page.locator('.prose').innerText();
    expect(text.match(/Line \d+ of a long reply/g)).toHaveLength(2000);
  });
});

inBrowser('tools on the page', () => {
  const { open, server } = lazily(browserAndServer());
  const isThere = (name: string) => existsSync(join(server().files, `${name}.txt`));

  test('a deletion waits: refused, nothing happens; allowed, it runs', async () => {
    const page = await open();
    await ask(page, 'Please delete a.txt');
    const card = page.locator('.tool-card');
    await card.getByText('may delete or overwrite something').waitFor();
    expect(await card.innerText()).toContain('"filename": "a.txt"');
    await card.getByRole('button', { name: 'Refuse' }).click();
    await said(page, 'It was not deleted.').waitFor();
    expect([await card.innerText(), isThere('a')]).toEqual([expect.stringContaining('refused'), true]);
    await ask(page, 'Please delete a.txt now');
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await said(page, 'The file is gone.').waitFor();
    expect(isThere('a')).toBe(false);
  });

  test('with other arguments, and for the conversation', async () => {
    const page = await open();
    await ask(page, 'Please delete nothing.txt');
    await page.getByRole('button', { name: 'Change …' }).click();
    const field = page.getByRole('textbox', { name: 'Arguments' });
    await field.fill('{ "filename": ');
    expect(await page.getByRole('button', { name: 'Allow with these' }).isDisabled()).toBe(true);
    await field.fill('{ "filename": 5 }');
    await page.getByRole('button', { name: 'Allow with these' }).click();
    await page.getByRole('alert').getByText('arguments: ').waitFor();
    await field.fill('{ "filename": "b.txt" }');
    await page.getByRole('button', { name: 'Allow with these' }).click();
    await said(page, 'The file is gone.').waitFor();
    expect(isThere('b')).toBe(false);
    await ask(page, 'Please delete c.txt');
    await page.getByRole('button', { name: 'Allow in this conversation' }).click();
    await page.locator('.reply').nth(1).locator('.figures').waitFor();
    await replyOf(page, 'Please delete d.txt');
    expect([isThere('c'), isThere('d')]).toEqual([false, false]);
  });

  test('a question goes with its answer, and comes back only if that could not be sent', async () => {
    const page = await open();
    const question = page.locator('.approval:visible');
    const answers: string[] = [];
    let answer: 'lost' | 'taken' = 'lost';
    await page.route('**/v1/approvals/*', route => {
      answers.push(route.request().postData() ?? '');
      // Taken, but of a call that takes for ever.
      return answer === 'lost' ? route.abort() : route.fulfill({ json: {} });
    });
    const card = page.locator('.tool-card').last();
    await ask(page, 'Please delete e.txt');
    await page.getByRole('button', { name: 'Change …' }).click();
    const field = page.getByRole('textbox', { name: 'Arguments' });
    await field.fill('{ "filename": "f.txt" }');
    await page.getByRole('button', { name: 'Allow with these' }).click();
    await page.getByRole('alert').getByText('The server does not answer').waitFor();
    expect(await field.inputValue()).toBe('{ "filename": "f.txt" }');
    answer = 'taken';
    await page.getByRole('button', { name: 'Allow with these' }).evaluate((button: HTMLElement) => {
      button.click();
      button.click();
    });
    await card.getByText('running').waitFor();
    await page.getByRole('button', { name: 'New chat' }).first().click();
    await page.getByRole('button', { name: 'Please delete e.txt', exact: true }).click();
    await card.getByText('running').waitFor();
    expect([await question.count(), answers]).toEqual([
      0,
      Array.from({ length: 2 }, () => '{"approve":true,"arguments":{"filename":"f.txt"}}'),
    ]);
    await page.getByRole('button', { name: 'Stop the reply' }).click();
    await ask(page, 'Please delete g.txt');
    await page.getByRole('button', { name: 'Refuse' }).click();
    await card.getByText('refused').waitFor();
    expect(await question.count()).toBe(0);
    await page.getByRole('button', { name: 'Stop the reply' }).click();
    await ask(page, 'Please delete h.txt');
    await page.getByRole('button', { name: 'Allow in this conversation' }).click();
    await page.getByRole('button', { name: 'Stop the reply' }).click();
    await ask(page, 'Please delete i.txt');
    await card.getByText('running').waitFor();
    expect([await question.count(), answers.length]).toEqual([0, 5]);
  });

  test('when the page goes away, the call is refused and nothing runs', async () => {
    const page = await open();
    await replyOf(page, 'Hello');
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByLabel('Ask me before every call').check();
    await page.keyboard.press('Escape');
    await ask(page, 'Please add 1');
    await page.getByText('May add run?').waitFor();
    await page.goto('about:blank');
    await expect.poll(() => activeRequests(server().url)).toBe(0);
    await page.goBack();
    await page.locator('.tool-card').getByText('not finished').waitFor();
  });
});

/** What exists only once a test runs. */
function lazily(shared: ReturnType<typeof browserAndServer>) {
  return { open: shared.open, server: () => shared.server };
}

async function activeRequests(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  // The question itself is one.
  return Number(/_requests_active (\d+)/.exec(text)?.[1] ?? Number.NaN) - 1;
}

const fromEnd = (page: Page) =>
  page
    .getByRole('region', { name: 'Messages' })
    .evaluate(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight);
