import { expect, test } from 'vitest';
import { HOSTILE } from '../../web/hostile-markdown.ts';
import { browserAndServer, inBrowser, replyOf, said, startServer } from './open-page.ts';

/** For tests that start programs. */
const LIMIT_MS = 180_000;

/** An exported file with one reply for each text. */
function fileOf(texts: readonly string[]): string {
  const messages = texts.flatMap((text, index) => [
    {
      id: `q${index}`,
      parent: index ? `a${index - 1}` : undefined,
      role: 'user',
      created: 2 * index,
      text: 'x',
      files: [],
    },
    {
      id: `a${index}`,
      parent: `q${index}`,
      role: 'assistant',
      created: 2 * index + 1,
      model: 'm',
      state: 'done',
      revision: 1,
      changed: 0,
      writer: '',
      parts: [{ type: 'text', text }],
    },
  ]);
  const conversation = {
    id: 'hostile',
    title: 'Hostile',
    created: 0,
    updated: 0,
    settings: {},
    chosen: {},
    messages: Object.fromEntries(messages.map(message => [message.id, message])),
  };
  return JSON.stringify({ format: 'llm-host conversations', version: 1, conversations: [conversation] });
}

inBrowser('what the page must not do', () => {
  const { open } = browserAndServer();

  test('run, load or be led away by what a model writes', async () => {
    const page = await open();
    const dialogs: string[] = [];
    page.on('dialog', dialog => dialogs.push(dialog.message()));
    await page.getByLabel('File to import').setInputFiles({
      name: 'x.json',
      mimeType: 'application/json',
      buffer: Buffer.from(fileOf(HOSTILE.map(([, text]) => text))),
    });
    await page.getByRole('button', { name: 'Hostile', exact: true }).click();
    await page
      .locator('.reply')
      .nth(HOSTILE.length - 1)
      .waitFor();
    expect(await page.locator('.reply').count()).toBe(HOSTILE.length);
    const found = await page.evaluate(() => ({
      pwned: 'pwned' in window,
      strange: [...document.querySelectorAll('.reply *')]
        .map(({ localName }) => localName)
        .filter(name =>
          /^(script|img|iframe|style|form|input|object|embed|link|meta|base|video|audio|dialog|template)$/.test(
            name,
          ),
        ),
      handlers: [...document.querySelectorAll('.reply *')].flatMap(({ attributes }) =>
        [...attributes].map(({ name }) => name).filter(name => /^(on|style$|srcdoc$)/.test(name)),
      ),
      links: [...document.querySelectorAll<HTMLAnchorElement>('.reply a')].map(({ protocol, rel, target }) =>
        [protocol, rel, target].join(' '),
      ),
    }));
    expect(found).toMatchObject({ pwned: false, strange: [], handlers: [] });
    expect(found.links.length).toBeGreaterThan(3);
    for (const link of found.links)
      expect(link).toMatch(/^(https?|mailto): noopener noreferrer nofollow _blank$/);
    expect(dialogs).toEqual([]);
    // The page still works; those texts together are too long for this model.
    await page.getByRole('button', { name: 'New chat' }).first().click();
    expect(await replyOf(page, 'Hello')).toBe('You said: Hello');
  });

  test('run a script or make HTML of a text, even if it tried', async () => {
    const page = await open({ misbehaves: true });
    const tries = await page.evaluate(() => {
      const attempt = (work: () => unknown) => {
        try {
          work();
          return 'worked';
        } catch (error) {
          return (error as Error).name;
        }
      };
      const script = document.createElement('script');
      return [
        attempt(() => {
          document.body.innerHTML = '<b>x</b>';
        }),
        attempt(() => {
          script.textContent = 'window.pwned = 1';
        }),
        attempt(() => document.write('x')),
      ];
    });
    expect(tries).toEqual(['TypeError', 'TypeError', 'TypeError']);
    const inline = await page.evaluate(async () => {
      const refused = new Promise<string>(resolve =>
        document.addEventListener('securitypolicyviolation', event => resolve(event.effectiveDirective)),
      );
      const image = document.createElement('img');
      image.src = 'https://evil.example/x.png';
      document.body.append(image);
      return await refused;
    });
    expect(inline).toBe('img-src');
  });
});

inBrowser('a server that', () => {
  const { open } = browserAndServer();

  test('wants a key gets it, in this tab until it is closed', { timeout: LIMIT_MS }, async () => {
    const secured = await startServer(['--api-key', 'secret']);
    try {
      const page = await open({}, secured.url);
      const dialog = page.getByRole('dialog', { name: 'This server wants an API key' });
      await dialog.getByLabel('Key').fill('wrong');
      await page.keyboard.press('Enter');
      await dialog.getByText('Incorrect API key provided').waitFor();
      await dialog.getByLabel('Key').fill('sec\u200bret');
      await page.keyboard.press('Enter');
      await dialog.getByText('a character that no key can have').waitFor();
      await dialog.getByLabel('Key').fill('secret');
      await page.keyboard.press('Enter');
      await dialog.waitFor({ state: 'detached' });
      expect(await replyOf(page, 'Hello')).toBe('You said: Hello');
      await page.reload();
      await said(page, 'You said: Hello').waitFor();
      expect(await dialog.count()).toBe(0);
      expect(await page.evaluate(() => JSON.stringify([localStorage, document.cookie]))).not.toContain(
        'secret',
      );
      const other = await page.context().newPage();
      await other.goto(secured.url);
      await other.getByRole('dialog', { name: 'This server wants an API key' }).waitFor();
    } finally {
      await secured.stop();
    }
  });

  test('is gone says so, and nothing is lost; it goes on when it is back', {
    timeout: LIMIT_MS,
  }, async () => {
    const one = await startServer();
    const port = Number(new URL(one.url).port);
    const page = await open({}, one.url);
    await replyOf(page, 'Hello');
    await one.stop();
    await page.locator('#question').fill('Are you there?');
    await page.keyboard.press('Enter');
    await page.locator('.notice').getByText('The server does not answer').waitFor();
    expect(await said(page, 'You said: Hello').count()).toBe(1);
    const two = await startServer([], port);
    try {
      await page.getByRole('button', { name: 'Try again' }).click();
      await said(page, 'You said: Are you there?').waitFor();
    } finally {
      await two.stop();
    }
  });
});
