import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { benchClients, startServer } from '../../src/bench/clients/bench-clients.ts';
import { loadedBy, streamedReply, within } from '../../src/bench/clients/clients-load.ts';
import { clientsHtml, clientsText } from '../../src/bench/clients/clients-output.ts';
import type { ClientsReport } from '../../src/bench/clients/clients-report.ts';
import { wordPrompt } from '../../src/bench/random-prompts.ts';

const NEVER = new AbortController().signal;
const LOAD = { clients: 2, requests: 3, generate: 4, prompt: (a: number, b: number) => `${a} ${b}` };
const event = (value: object) => `data: ${JSON.stringify(value)}\n\n`;
const WHOLE = `${event({ choices: [{ text: 'a' }] })}${event({ choices: [{ text: '' }] })}`;
const REST = `${event({ choices: [{ text: 'b' }] })}${event({ choices: [], usage: { completion_tokens: 5, prompt_tokens: 9 } })}data: [DONE]\n\n`;

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function serving(answer: (response: ServerResponse, body: Record<string, unknown>) => void) {
  server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    answer(response, JSON.parse(Buffer.concat(pieces).toString()));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { name: 'stand-in', url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describe('a reply that is read as a stream', () => {
  test('has its times and what the server counted, however the stream is cut', async () => {
    const { url } = await serving(response => {
      response.write(WHOLE.slice(0, 13));
      setTimeout(() => response.write(WHOLE.slice(13)), 5);
      setTimeout(() => response.end(REST), 20);
    });
    const reply = await streamedReply(url, { prompt: 'x' }, NEVER);
    expect(reply).toMatchObject({ status: 200, generatedTokens: 5, promptTokens: 9 });
    expect(reply.firstMs).toBeGreaterThan(0);
    expect(reply.gaps).toHaveLength(1);
  });

  test('that is no JSON is an error of this request alone', async () => {
    const { url } = await serving(response => response.end(`${WHOLE}data: {"choices":[{"te\n\n${REST}`));
    await expect(streamedReply(url, { prompt: 'x' }, NEVER)).rejects.toThrow(SyntaxError);
  });

  test('that breaks off is an error, and another status is a result', async () => {
    const { url } = await serving((response, { prompt }) => {
      if (prompt === 'full') response.writeHead(429).end('{}');
      else response.end(WHOLE);
    });
    await expect(streamedReply(url, { prompt: 'cut' }, NEVER)).rejects.toThrow('the stream broke off');
    expect(await streamedReply(url, { prompt: 'full' }, NEVER)).toMatchObject({ status: 429, gaps: [] });
  });
});

describe('clients at once', () => {
  test('send as many requests as asked for, each with a prompt of its own', async () => {
    const seen = new Set<unknown>();
    let [open, most] = [0, 0];
    const target = await serving((response, { prompt, max_tokens }) => {
      expect(max_tokens).toBe(4);
      seen.add(prompt);
      open += 1;
      most = Math.max(most, open);
      setTimeout(() => {
        open -= 1;
        response.end(WHOLE + REST);
      }, 10);
    });
    const point = await loadedBy(LOAD, target, NEVER);
    expect([seen.size, most]).toEqual([6, 2]);
    expect(point).toMatchObject({ clients: 2, requests: 6, failed: 0, promptTokens: 9, generatedTokens: 5 });
    expect(point.figures.tokensPerSecond).toBeCloseTo(30 / point.seconds);
  });

  test('do not mind a server that closes each connection after its answer', async () => {
    const target = await serving(response => response.end(WHOLE + REST, () => response.socket?.destroy()));
    expect(await loadedBy(LOAD, target, NEVER)).toMatchObject({ failed: 0 });
  });

  test('count what failed; if nothing was answered, that is an error', async () => {
    let count = 0;
    const target = await serving(response => {
      count += 1;
      if (count > 4) response.destroy();
      else response.end(WHOLE + REST);
    });
    expect(await loadedBy(LOAD, target, NEVER)).toMatchObject({ requests: 6, failed: 2 });
    await expect(loadedBy(LOAD, target, NEVER)).rejects.toThrow('stand-in completed no request: ');
  });

  test('may be many: that is no leak of listeners', async () => {
    const warnings: Error[] = [];
    const warned = (warning: Error) => warnings.push(warning);
    process.on('warning', warned);
    const target = await serving(response => setTimeout(() => response.end(WHOLE + REST), 50));
    await loadedBy({ ...LOAD, clients: 24, requests: 1 }, target, new AbortController().signal);
    process.off('warning', warned);
    expect(warnings).toEqual([]);
  });

  test('stop when the bench is ended', async () => {
    const stop = new AbortController();
    const target = await serving(() => stop.abort());
    await expect(loadedBy(LOAD, target, stop.signal)).rejects.toThrow('abort');
  });
});

test('a share of values', () => {
  expect([0, 0.5, 0.95, 1].map(share => within([1, 2, 3, 4], share))).toEqual([1, 2, 4, 4]);
});

test('prompts of words have the tokens that were asked for, and differ', () => {
  const count = (text: string) => Math.ceil(text.length / 3);
  const prompts = [1, 2, 3].map(seed => wordPrompt(50, seed, count));
  expect(new Set(prompts).size).toBe(3);
  for (const prompt of prompts) {
    expect(count(prompt)).toBeLessThanOrEqual(50);
    expect(count(prompt)).toBeGreaterThan(44);
  }
});

describe('a server that is started', () => {
  const node = (script: string) => () => ({
    name: 'stand-in',
    command: process.execPath,
    args: ['-e', script],
    env: {},
  });

  test('and ends at once is an error with what it said', async () => {
    await expect(startServer(node('console.error("no such model"); process.exit(3)'), NEVER)).rejects.toThrow(
      'the server of stand-in did not start:\nno such model',
    );
    const missing = () => ({ name: 'stand-in', command: '/no/such/program', args: [], env: {} });
    await expect(startServer(missing, NEVER)).rejects.toThrow('ENOENT');
  });

  test('that dies under its load is told with what it answered', async () => {
    const whole = JSON.stringify(WHOLE + REST);
    const script = (port: number) =>
      `let asked = 0; require('http').createServer((q, r) => {
        if (q.url === '/health') return r.end();
        if (++asked > 2) process.exit(9);
        r.end(${whole});
      }).listen(${port})`;
    const [report] = await benchClients({
      servers: [{ name: 'stand-in', commandFor: port => node(script(port))() }],
      clients: [1],
      requests: 50,
      generate: 1,
      prompt: String,
      signal: NEVER,
      onProgress: () => undefined,
    });
    expect(report?.points).toMatchObject([{ requests: 50, failed: 49, generatedTokens: 5 }]);
    expect(report?.points[0]?.figures.peakBytes).toBeUndefined();
  });

  test('is stopped when measuring fails', async () => {
    const script = (port: number) =>
      `require('http').createServer((q, r) => r.writeHead(q.url === '/health' ? 200 : 500).end(String(process.pid))).listen(${port})`;
    let port = 0;
    const measured = benchClients({
      servers: [
        {
          name: 'stand-in',
          commandFor: given => {
            port = given;
            return node(script(given))();
          },
        },
      ],
      clients: [1],
      requests: 1,
      generate: 1,
      prompt: String,
      signal: NEVER,
      onProgress: () => undefined,
    });
    await expect(measured).rejects.toThrow('stand-in completed no request: it answers 500');
    await expect(fetch(`http://127.0.0.1:${port}/health`)).rejects.toThrow('fetch failed');
  });
});

describe('the report of clients', () => {
  const point = (clients: number, tokensPerSecond: number) => ({
    clients,
    requests: clients,
    failed: clients - 1,
    seconds: 1,
    promptTokens: 8,
    generatedTokens: 4,
    figures: { tokensPerSecond, longestGapMs: 10 * clients },
  });
  const REPORT: ClientsReport = {
    version: 1,
    date: '2026-01-01T00:00:00.000Z',
    machine: { processor: 'A <b>CPU</b>', processors: 2, memoryBytes: 8e9, system: 'Linux' },
    versions: { llmHost: '1', mlx: '2', node: '3' },
    model: { name: 'tiny & small', family: 'llama', parameters: 1e6 },
    settings: {
      clients: [1, 8],
      promptTokens: 8,
      generate: 4,
      requests: 1,
      threads: undefined,
      environment: {},
    },
    servers: [
      { name: 'llm-host', points: [point(1, 100), point(8, 400)] },
      { name: 'mlx-lm', points: [point(1, 50), point(8, 75)] },
    ],
  };

  test('as text has a bar for each server and number of clients, and what failed', () => {
    const text = clientsText(REPORT);
    expect(text).toMatch(
      /by clients\n {2}llm-host 1 █.* 100 tok\/s, 1\.0 times\n {2}llm-host 8 █{30} 400 tok\/s, 4\.0 times\n/,
    );
    expect(text).toContain('mlx-lm   8');
    expect(text).toContain('llm-host, 8 clients: 7 of 8');
    expect(text).not.toContain('peak memory');
  });

  test('as HTML has curves and escapes what it was given', () => {
    const html = clientsHtml(REPORT);
    expect(html.match(/<polyline/g)).toHaveLength(4);
    expect(html).toContain('points="0.0,60.0 300.0,0.0"');
    expect(html).not.toContain('<b>CPU');
  });
});
