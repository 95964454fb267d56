import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { manyWords } from '../../fixtures/many-words.ts';
import { Program, processesLeft, ROOT, runProgram, SCRIPTED_MAIN, workplace } from '../program.ts';

const TIMEOUT = { timeout: 120_000 };
const POLITE = join(ROOT, 'test', 'fixtures', 'mcp', 'polite.mjs');

async function serving(script: object, args: readonly string[] = []) {
  const mcp = { servers: { polite: { command: 'node', args: [POLITE] } } };
  const place = workplace({ 'script.json': JSON.stringify(script), 'mcp.json': JSON.stringify(mcp) });
  const env = { ...place.env, LLM_HOST_SCRIPT: join(place.dir, 'script.json') };
  const server = new Program(SCRIPTED_MAIN, ['serve', 'x', '--port', '0', ...args], { cwd: place.dir, env });
  return { server, dir: place.dir, url: await server.url() };
}

const ask = (url: string, content: string, more: object = {}) =>
  fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ messages: [{ role: 'user', content }], ...more }),
  });

const call = (name: string) => `<tool_call>\n{"name": "${name}", "arguments": {}}\n</tool_call>`;

describe('llm-host serve', TIMEOUT, () => {
  it('an MCP server that dies in mid-request costs its call, not the request; it comes back', async () => {
    const replies = [call('die'), 'It died.', call('pid'), 'It is back.'];
    const { server, url, dir } = await serving({ replies });
    const first = (await (await ask(url, 'Kill it')).json()) as {
      choices: [{ message: { content: string } }];
    };
    expect(first.choices[0].message.content).toBe('It died.');
    const again = await ask(url, 'And now?');
    expect(await again.text()).toContain('It is back.');
    server.child.kill('SIGTERM');
    expect(await server.ended).toMatchObject({ code: 143, signal: null });
    expect(await processesLeft(dir)).toEqual([]);
  });

  it('SIGTERM in mid-stream: the stream comes to its end, nothing new is taken, no process is left', async () => {
    const { server, url, dir } = await serving({ replies: ['All of this is said.'], msPerToken: 100 });
    // A connection that never asks must not keep it open.
    const silent = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
    silent.write('POST / HTTP/1.1\r\n');
    const response = await ask(url, 'Speak', { stream: true });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = (await reader?.read())?.value ?? '';
    server.child.kill('SIGTERM');
    await expect
      .poll(
        () =>
          fetch(`${url}/health`).then(
            () => 'taken',
            () => 'refused',
          ),
        { timeout: 20_000 },
      )
      .toBe('refused');
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) text += part.value;
    const said = [...text.matchAll(/"content":"([^"]*)"/g)].map(match => match[1]).join('');
    expect(said).toBe('All of this is said.');
    expect(text).toContain('[DONE]');
    expect((await server.ended).code).toBe(143);
    expect(await processesLeft(dir)).toEqual([]);
  });

  it('what does not end in --drain-timeout is cut, and told so', async () => {
    const replies = [manyWords(2000)];
    const { server, url } = await serving({ replies, msPerToken: 50 }, ['--drain-timeout', '0.3']);
    const response = await ask(url, 'Speak', { stream: true });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = (await reader?.read())?.value ?? '';
    server.child.kill('SIGTERM');
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) text += part.value;
    expect(text).toContain('The server is stopping');
    expect((await server.ended).code).toBe(143);
  });

  it('a port that is taken is one clear line', async () => {
    const { url } = await serving({ replies: [] }, ['--no-mcp']);
    const { dir, env } = workplace({ 'script.json': '{"replies":[]}' });
    const args = ['serve', 'x', '--no-mcp', '--port', new URL(url).port];
    const { code, stderr } = await runProgram(SCRIPTED_MAIN, args, {
      cwd: dir,
      env: { ...env, LLM_HOST_SCRIPT: join(dir, 'script.json') },
    });
    expect(code).toBe(2);
    expect(stderr).toMatch(/Error: --port \d+ on 127\.0\.0\.1 cannot be used/);
  });
});
