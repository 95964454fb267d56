import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseFeed } from '../../src/servers/atom.ts';
import { type ResearchOptions, researchTools } from '../../src/servers/research.ts';
import { callTool } from '../../src/servers/tool-server.ts';
import { type Listening, listen } from '../fixtures/mcp/http-servers.ts';

const ENTRY = `<entry>
  <id>http://arxiv.org/abs/2301.01234v2</id><published>2023-01-03T18:00:00Z</published>
  <title>Attention &amp; its
   uses &#8212; a survey</title><summary>  We show x &lt; y. </summary>
  <author><name>Ada Lovelace</name></author><author><name>Kurt G&#xF6;del</name></author>
  <link href="http://arxiv.org/abs/2301.01234v2" rel="alternate"/>
  <link title="pdf" href="http://arxiv.org/pdf/2301.01234v2" rel="related"/>
  <category term="cs.CL" scheme="http://arxiv.org/schemas/atom"/><category term="cs.AI"/>
</entry>`;
const feed = (...entries: string[]) =>
  `<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom">${entries.join('')}</feed>\n`;

type Handle = (request: IncomingMessage, response: ServerResponse) => void;
let cacheFolder = '';
let stand: Listening | undefined;

beforeEach(() => {
  cacheFolder = mkdtempSync(join(tmpdir(), 'llm-host-research-'));
});
afterEach(async () => {
  await stand?.close();
  stand = undefined;
  rmSync(cacheFolder, { recursive: true, force: true });
});

/** The tools over a local stand-in that answers with one handler after the other, the last one for ever. */
async function setUp(handlers: Handle[], options: Partial<ResearchOptions> = {}) {
  let index = 0;
  stand = await listen((request, response) => {
    (handlers[Math.min(index++, handlers.length - 1)] as Handle)(request, response);
  });
  const tools = researchTools({
    cacheFolder,
    baseUrl: `http://127.0.0.1:${stand.port}/api`,
    intervalMs: 0,
    firstWaitMs: 1,
    ...options,
  });
  return (name: string, args: Record<string, unknown>, signal?: AbortSignal) =>
    callTool(tools, name, args, signal);
}

const good: Handle = (_request, response) => response.end(feed(ENTRY));
const status =
  (code: number, headers = {}): Handle =>
  (_request, response) =>
    response.writeHead(code, headers).end('busy');

describe('the tools', () => {
  it('search, and ask arXiv in its own language', async () => {
    const call = await setUp([good]);
    expect(await call('search_papers', { topic: 'small "language" models' })).toEqual({
      text: '2301.01234v2: Attention & its uses — a survey (2023-01-03)',
      isError: false,
    });
    const asked = new URL(stand?.requests[0]?.path ?? '', 'http://x').searchParams;
    expect(asked.get('search_query')).toBe('all:small AND all:language AND all:models');
    expect(asked.get('max_results')).toBe('5');
  });

  it('give the particulars of a paper', async () => {
    const call = await setUp([good]);
    expect((await call('extract_info', { paper_id: 'arXiv:2301.01234' })).text).toBe(
      'Title: Attention & its uses — a survey\nAuthors: Ada Lovelace, Kurt Gödel\nPublished: 2023-01-03\n' +
        'Categories: cs.CL, cs.AI\nPDF: http://arxiv.org/pdf/2301.01234v2\nAbstract: We show x < y.',
    );
  });

  it('answer from the cache the second time, also in another process, until it is broken', async () => {
    const call = await setUp([good]);
    await call('search_papers', { topic: 'x' });
    await call('search_papers', { topic: 'x' });
    expect(stand?.requests).toHaveLength(1);
    for (const name of readdirSync(cacheFolder)) writeFileSync(join(cacheFolder, name), '{"half');
    expect((await call('search_papers', { topic: 'x' })).isError).toBe(false);
    expect(stand?.requests).toHaveLength(2);
  });

  it('say in words that there is nothing', async () => {
    const call = await setUp([(_request, response) => response.end(feed())]);
    expect((await call('search_papers', { topic: 'x' })).text).toBe('No papers found.');
    expect((await call('extract_info', { paper_id: '2301.01234' })).text).toBe(
      'Error: There is no paper 2301.01234.',
    );
  });

  it.each([
    [{ topic: ' ' }, 'Error: The topic is empty.'],
    [{ topic: 'x'.repeat(301) }, 'Error: The topic is longer than 300 characters.'],
    [{ topic: 'x', max_results: 0 }, 'Error: max_results must be a whole number from 1 to 50.'],
    [{ topic: 'x', max_results: 2.5 }, 'Error: max_results must be a whole number from 1 to 50.'],
  ])('refuse %j before anything is sent', async (args, text) => {
    const call = await setUp([good]);
    expect(await call('search_papers', args)).toEqual({ text, isError: true });
    expect(stand?.requests).toEqual([]);
  });

  it.each(['', '../../etc/passwd', '2301.01234&x=y', 'http://elsewhere/'])(
    'refuse %j as an id',
    async paper_id => {
      const call = await setUp([good]);
      expect((await call('extract_info', { paper_id })).text).toContain('is not an arXiv id');
      expect(stand?.requests).toEqual([]);
    },
  );
});

describe('a service in trouble', () => {
  it.each<[string, Handle]>([
    ['503', status(503)],
    ['429 with its own wait', status(429, { 'retry-after': '0' })],
    ['a cut feed', (_request, response) => response.end(feed(ENTRY).slice(0, 200))],
    ['a page of a proxy', (_request, response) => response.end('<html>login</html>')],
    ['a lost connection', (_request, response) => response.destroy()],
  ])('is asked again after %s', async (_name, broken) => {
    const call = await setUp([broken, broken, good]);
    expect((await call('search_papers', { topic: 'x' })).isError).toBe(false);
    expect(stand?.requests).toHaveLength(3);
  });

  it('is given up after four attempts, and nothing is kept', async () => {
    const call = await setUp([status(503)]);
    expect(await call('search_papers', { topic: 'x' })).toEqual({
      text: 'Error: arXiv could not be reached after 4 attempts: the service answered 503',
      isError: true,
    });
    expect(stand?.requests).toHaveLength(4);
    expect(readdirSync(cacheFolder)).toEqual([]);
  });

  it('that wants to be left alone for longer than half a minute is, and that is told', async () => {
    const call = await setUp([status(429, { 'retry-after': '31' })]);
    expect(await call('search_papers', { topic: 'x' })).toEqual({
      text: 'Error: arXiv asks to be left alone for 31 s: the service answered 429',
      isError: true,
    });
    expect(stand?.requests).toHaveLength(1);
  });

  it('that does not answer is left at the limit', async () => {
    const call = await setUp([() => undefined], { timeoutMs: 50 });
    expect((await call('search_papers', { topic: 'x' })).text).toContain('no answer within 0.05 s');
  });

  it('that refuses a request is not asked again', async () => {
    const error = '<entry><id>x</id><title>Error</title><summary>malformed id</summary></entry>';
    const call = await setUp([(_request, response) => response.writeHead(400).end(feed(error))]);
    expect((await call('extract_info', { paper_id: '2301.01234' })).text).toBe(
      'Error: arXiv refused the request: malformed id',
    );
    expect(stand?.requests).toHaveLength(1);
  });

  it('that answers without end is cut off', async () => {
    const pour: Handle = (_request, response) => {
      const more = (): void => void response.write('x'.repeat(1_000_000), more);
      more();
    };
    const call = await setUp([pour]);
    expect((await call('search_papers', { topic: 'x' })).text).toBe("Error: arXiv's answer is too large.");
  });
});

it.each<[string, Handle]>([
  ['without an answer', () => undefined],
  ['that is to be tried again much later', status(503, { 'retry-after': '30' })],
])('a cancelled call %s holds up no other', async (_name, busy) => {
  const call = await setUp([busy, good]);
  const [asking, waiting] = [new AbortController(), new AbortController()];
  const first = call('search_papers', { topic: 'a' }, asking.signal);
  const second = call('search_papers', { topic: 'b' }, waiting.signal);
  const third = call('search_papers', { topic: 'c' });
  await expect.poll(() => stand?.requests.length).toBe(1);
  waiting.abort();
  asking.abort();
  const cancelled = { text: 'Error: The call was cancelled.', isError: true };
  expect(await Promise.all([first, second])).toEqual([cancelled, cancelled]);
  expect((await third).isError).toBe(false);
  expect(stand?.requests).toHaveLength(2);
});

it('asks one request at a time, never sooner than the interval', async () => {
  const times: number[] = [];
  let open = 0;
  let most = 0;
  const slow: Handle = (_request, response) => {
    times.push(performance.now());
    most = Math.max(most, ++open);
    setTimeout(() => {
      open--;
      response.end(feed(ENTRY));
    }, 20);
  };
  const call = await setUp([slow], { intervalMs: 100 });
  await Promise.all(['a', 'b', 'c'].map(topic => call('search_papers', { topic })));
  expect(most).toBe(1);
  const gaps = times.slice(1).map((time, index) => time - (times[index] as number));
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(99);
});

it('a feed with a document type brings no entities of its own', () => {
  const xml = `<!DOCTYPE x [<!ENTITY a "boom">]>${feed(ENTRY.replace('a survey', '&a;'))}`;
  expect(parseFeed(xml)[0]?.title).toBe('Attention & its uses — &a;');
});
