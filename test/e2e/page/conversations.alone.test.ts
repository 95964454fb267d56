import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { replyText } from '../../../web/conversation/api-messages.ts';
import { readExport } from '../../../web/conversation/import.ts';
import { pathOf } from '../../../web/conversation/tree.ts';
import { ask, browserAndServer, inBrowser, replyOf, said } from './open-page.ts';

const replies = (page: Page) => page.locator('.reply .prose').allInnerTexts();
const questions = (page: Page) => page.locator('.bubble').allInnerTexts();

/** The file that a button saves. */
async function saved(page: Page, button: string) {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button }).click(),
  ]);
  return { name: download.suggestedFilename(), text: readFileSync(await download.path(), 'utf8') };
}

/** Asks each of these in a conversation of its own. */
async function chatAbout(page: Page, ...questions: string[]): Promise<void> {
  for (const text of questions) {
    await page.getByRole('button', { name: 'New chat' }).first().click();
    await replyOf(page, text);
    await page.locator('.conversations').getByText(text).waitFor();
  }
}

inBrowser('conversations on the page', () => {
  const { open } = browserAndServer();

  test('edited, answered again, and gone on with elsewhere', async () => {
    const page = await open();
    await replyOf(page, 'One');
    await replyOf(page, 'Two');
    await page.locator('#question').press('Alt+ArrowUp');
    await page.getByRole('textbox', { name: 'Question' }).first().fill('Three');
    await page.getByRole('button', { name: 'Ask again' }).click();
    await said(page, 'You said: Three').waitFor();
    expect(await questions(page)).toEqual(['One', 'Three']);
    await page.getByRole('button', { name: 'The branch before' }).click();
    expect(await replies(page)).toEqual(['You said: One', 'You said: Two']);
    await page.getByRole('button', { name: 'Another reply' }).last().click();
    await page.locator('.reply').last().locator('.branches').getByText('2 / 2').waitFor();
    await page.locator('.reply').last().locator('.figures').waitFor();
    await page.getByRole('button', { name: 'Go on in a new conversation' }).first().click();
    expect(await questions(page)).toEqual(['One']);
    await page.getByRole('button', { name: 'One (branch)', exact: true }).waitFor();
    await replyOf(page, 'Four');
    await page.goBack();
    await said(page, 'You said: Two').waitFor();
  });

  test('renamed, searched, deleted, exported and imported', async () => {
    const page = await open();
    await replyOf(page, 'Keep me');
    await page.getByRole('button', { name: 'Rename Keep me' }).click();
    await page.getByRole('textbox', { name: 'Title' }).fill('Kept');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Kept', exact: true }).waitFor();
    expect(await saved(page, 'Save this one')).toEqual({
      name: 'kept.md',
      text: '# Kept\n\n## You\n\nKeep me\n\n## scripted\n\nYou said: Keep me\n',
    });
    const { name, text } = await saved(page, 'Export all');
    expect(name).toBe('llm-host-conversations.json');
    await page.getByRole('button', { name: 'Delete Kept' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('button', { name: 'Kept', exact: true }).waitFor({ state: 'detached' });
    expect(await page.locator('.question').count()).toBe(0);
    const input = page.getByLabel('File to import');
    await input.setInputFiles({ name: 'x.json', mimeType: 'application/json', buffer: Buffer.from('{}') });
    await page.getByText('This file was not exported by llm-host.').waitFor();
    await input.setInputFiles({ name, mimeType: 'application/json', buffer: Buffer.from(text) });
    await page.getByRole('button', { name: 'Kept', exact: true }).click();
    expect(await replies(page)).toEqual(['You said: Keep me']);
  });

  test('all that is there is exported, whatever the storage has no room for', async () => {
    const page = await open();
    const exported = async () =>
      readExport((await saved(page, 'Export all')).text).map(conversation =>
        pathOf(conversation).map(message => (message.role === 'user' ? message.text : replyText(message))),
      );
    await replyOf(page, 'Kept');
    // It is saved when the reply has rested for a moment.
    await page.locator('.conversations').getByText('Kept').waitFor();
    await page.evaluate(() => {
      IDBObjectStore.prototype.put = () => {
        throw new DOMException('full', 'QuotaExceededError');
      };
    });
    await replyOf(page, 'Not kept');
    await page.getByRole('button', { name: 'New chat' }).first().click();
    await replyOf(page, 'Never kept');
    await page.locator('.notice').getByText('does not keep the conversations (full)').waitFor();
    const all = [
      ['Kept', 'You said: Kept', 'Not kept', 'You said: Not kept'],
      ['Never kept', 'You said: Never kept'],
    ];
    expect(await exported()).toEqual(all);
    await page.evaluate(() => {
      IDBObjectStore.prototype.getAll = () => {
        throw new DOMException('broken', 'UnknownError');
      };
    });
    expect(await exported()).toEqual(all);
  });

  test('an imported copy joins what is open, of which it has less', async () => {
    const page = await open();
    await page.evaluate(() => {
      IDBObjectStore.prototype.put = () => {
        throw new DOMException('full', 'QuotaExceededError');
      };
    });
    await replyOf(page, 'One');
    const { name, text } = await saved(page, 'Export all');
    await replyOf(page, 'Two');
    const file = { name, mimeType: 'application/json', buffer: Buffer.from(text) };
    await page.getByLabel('File to import').setInputFiles(file);
    await page.getByText('1 conversation was imported.').waitFor();
    expect(await questions(page)).toEqual(['One', 'Two']);
  });

  test('a storage that opens late keeps what was said before', async () => {
    const page = await open();
    await page.addInitScript(() => {
      const open = IDBFactory.prototype.open;
      IDBFactory.prototype.open = function (...given) {
        const request = open.apply(this, given);
        return Object.defineProperty(request, 'onsuccess', {
          set: (heard: () => void) => request.addEventListener('success', () => setTimeout(heard, 4000)),
        });
      };
    });
    await page.reload();
    await replyOf(page, 'Early');
    expect(await page.locator('.conversations li').count()).toBe(0);
    await page.locator('.conversations').getByText('Early').waitFor();
  });

  test('a reply that is asked for before the models are known names its model', async () => {
    const page = await open();
    let answer!: () => void;
    const answered = new Promise<void>(resolve => (answer = resolve));
    await page.route('**/v1/models', async route => {
      await answered;
      await route.continue();
    });
    await page.reload();
    await replyOf(page, 'At once');
    await page.getByRole('article', { name: 'scripted' }).waitFor();
    answer();
    await page.unrouteAll({ behavior: 'wait' });
  });

  test('a server that has other models by now is asked again, and then answers', async () => {
    const page = await open();
    await page.route('**/v1/models', async route => {
      const { data } = await (await route.fetch()).json();
      await route.fulfill({ json: { data: [{ ...data[0], id: 'gone' }, ...data] } });
    });
    await page.reload();
    await page.getByRole('combobox', { name: 'Model' }).selectOption('gone');
    await page.unrouteAll({ behavior: 'wait' });
    await ask(page, 'Hello');
    await page.locator('.reply').getByText("The model 'gone' does not exist").waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await said(page, 'You said: Hello').waitFor();
    expect(await page.getByRole('combobox', { name: 'Model' }).inputValue()).toBe('scripted');
  });

  test('a conversation that is slow to load does not push away what was opened after it', async () => {
    const page = await open();
    await chatAbout(page, 'Slow', 'Fast');
    await page.getByRole('button', { name: 'Slow', exact: true }).click();
    await said(page, 'You said: Slow').waitFor();
    await page.addInitScript(() => {
      const get = IDBObjectStore.prototype.get;
      IDBObjectStore.prototype.get = function (key) {
        const request = get.call(this, key);
        if (key !== sessionStorage.getItem('slow')) return request;
        return Object.defineProperty(request, 'onsuccess', {
          set: (heard: () => void) => request.addEventListener('success', () => setTimeout(heard, 1000)),
        });
      };
    });
    await page.evaluate(() => sessionStorage.setItem('slow', location.hash.replace(/.*\//, '')));
    await page.goto(page.url().replace(/#.*/, ''));
    await page.reload();
    await page.getByRole('button', { name: 'Slow', exact: true }).click();
    await page.getByRole('button', { name: 'Fast', exact: true }).click();
    await said(page, 'You said: Fast').waitFor();
    await page.waitForTimeout(1500);
    expect(await questions(page)).toEqual(['Fast']);
  });

  test('the way back passes what was deleted, and a reply that is being written leaves it as it is', async () => {
    const page = await open();
    for (const text of ['One', 'Two', 'Three']) {
      await page.getByRole('button', { name: 'New chat' }).first().click();
      await replyOf(page, text);
      await page.locator('.conversations').getByText(text).waitFor();
    }
    await page.getByRole('button', { name: 'Delete Three' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.locator('.welcome').waitFor();
    // The new chat in which `Three` began, and before it `Two`.
    for (const _ of [1, 2]) await page.goBack();
    await said(page, 'You said: Two').waitFor();
    // `One` is not in memory then.
    await page.reload();
    await ask(page, 'slow');
    await said(page, 'word 1').waitFor();
    const before = await page.evaluate(() => history.length);
    for (const _ of [1, 2]) await page.goBack();
    await said(page, 'You said: One').waitFor();
    expect(await page.evaluate(() => history.length)).toBe(before);
    for (const _ of [1, 2]) await page.goForward();
    await said(page, 'word 1').waitFor();
  });

  test('two tabs write to the same one, and nothing is lost', async () => {
    const first = await open();
    await replyOf(first, 'Zero');
    // It is saved when the reply has rested for a moment.
    await first.locator('.conversations').getByText('Zero').waitFor();
    const second = await first.context().newPage();
    await second.goto(first.url());
    await said(second, 'You said: Zero').waitFor();
    await Promise.all([ask(first, 'Mine'), ask(second, 'Yours')]);
    for (const page of [first, second]) {
      await page.getByText('2 / 2').or(page.getByText('1 / 2')).first().waitFor();
      await page.locator('.reply').nth(1).locator('.figures').waitFor();
    }
    await second.reload();
    await second.locator('.branches').first().waitFor();
    const seen = new Set(await questions(second));
    await second
      .getByRole('button', { name: /branch/i, disabled: false })
      .first()
      .click();
    for (const text of await questions(second)) seen.add(text);
    expect([...seen].sort()).toEqual(['Mine', 'Yours', 'Zero']);
    await second.getByRole('button', { name: 'Delete Zero' }).click();
    await second.getByRole('button', { name: 'Delete', exact: true }).click();
    await first.locator('.welcome').waitFor();
    await first.reload();
    expect(await first.locator('.conversations li').count()).toBe(0);
  });

  test('a reply of another tab has ended once that tab is gone, and not before', async () => {
    const first = await open();
    await replyOf(first, 'Zero');
    await first.locator('.conversations').getByText('Zero').waitFor();
    const second = await first.context().newPage();
    await second.clock.install();
    await second.goto(first.url());
    await said(second, 'You said: Zero').waitFor();
    await ask(first, 'slow');
    const elsewhere = second.getByText('Being written in another tab');
    await elsewhere.waitFor();
    await second.clock.runFor(6000);
    expect(await elsewhere.count()).toBe(1);
    await first.close();
    await second.clock.runFor(60_000);
    await second.locator('.reply').nth(1).getByText('Stopped').waitFor();
  });

  test('what a tab has left and cannot be kept hides nothing, and is kept when it can be', async () => {
    const page = await open();
    await chatAbout(page, 'Kept', 'Left');
    const { conversations } = JSON.parse((await saved(page, 'Export all')).text);
    const left = conversations.filter(({ title }: { title: string }) => title === 'Left');
    await page.getByRole('button', { name: 'Delete Left' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.addInitScript(() => {
      const put = IDBObjectStore.prototype.put;
      IDBObjectStore.prototype.put = function (...given) {
        if (sessionStorage.getItem('full')) throw new DOMException('No room', 'QuotaExceededError');
        return put.apply(this, given);
      };
    });
    await page.evaluate(one => {
      sessionStorage.setItem('full', '1');
      localStorage.setItem('llm-host-left', one);
    }, JSON.stringify(left));
    await page.reload();
    await page.getByText('does not keep the conversations').waitFor();
    await page.locator('.conversations').getByText('Kept').waitFor();
    await page.evaluate(() => sessionStorage.removeItem('full'));
    await page.reload();
    await page.locator('.conversations').getByText('Left').waitFor();
  });

  test('a title and settings that are changed in one tab hold in the other, which goes on writing', async () => {
    const first = await open();
    await replyOf(first, 'Zero');
    await first.locator('.conversations').getByText('Zero').waitFor();
    const second = await first.context().newPage();
    await second.goto(first.url());
    await said(second, 'You said: Zero').waitFor();
    await first.getByRole('button', { name: 'Rename Zero' }).click();
    await first.getByRole('textbox', { name: 'Title' }).fill('Renamed');
    await first.keyboard.press('Enter');
    await first.getByRole('button', { name: 'Settings' }).click();
    await first.getByLabel('System prompt').fill('Be brief.');
    await first.getByRole('button', { name: 'Close' }).click();
    await second.getByRole('button', { name: 'Renamed', exact: true }).waitFor();
    const [request] = await Promise.all([
      second.waitForRequest(/chat\/completions/),
      replyOf(second, 'One more'),
    ]);
    expect(request.postDataJSON().messages[0]).toEqual({ role: 'system', content: 'Be brief.' });
    await said(first, 'You said: One more').waitFor();
    for (const page of [first, second]) {
      await page.reload();
      await page.getByRole('button', { name: 'Renamed', exact: true }).waitFor();
    }
  });

  test('what a reply is made of by: system prompt, sampling, no tools; kept for the next one', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByLabel('System prompt').fill('Be brief.');
    await page.getByLabel('Temperature').fill('0.5');
    await page.getByLabel("The model may call the server's tools").uncheck();
    await page.getByLabel('Theme').selectOption('dark');
    await page.getByRole('button', { name: 'Close' }).click();
    const [request] = await Promise.all([page.waitForRequest(/chat\/completions/), replyOf(page, 'Hello')]);
    expect(request.headers()).toMatchObject({ 'x-llm-host-tools': 'none', 'x-llm-host-approval': 'rules' });
    expect(request.postDataJSON()).toEqual({
      stream: true,
      stream_options: { include_usage: true },
      temperature: 0.5,
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hello' },
      ],
    });
    await page.reload();
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
    await page.getByRole('button', { name: 'New chat' }).first().click();
    await page.getByRole('button', { name: 'Settings' }).click();
    expect(await page.getByLabel('System prompt').inputValue()).toBe('Be brief.');
  });
});
