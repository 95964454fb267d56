import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../parse/seeded-random.ts';
import { ask, chat, contentOf } from '../asking.ts';
import { serveScripted } from '../scripted.ts';

describe('bodies', () => {
  it('of 20 MB are refused, told in advance or not, and others are served', async () => {
    const { url } = await serveScripted(() => 'ok');
    const big = 'x'.repeat(20 * 1024 * 1024);
    const statusOf = (body: string | ReadableStream, init: object = {}) =>
      fetch(`${url}/api/chat`, { method: 'POST', body, ...init }).then(
        response => response.status,
        // The connection may be closed before all of it is sent.
        () => 413,
      );
    expect(await statusOf(big)).toBe(413);
    let sent = 0;
    const stream = new ReadableStream({
      pull(controller) {
        // Bounded, whatever the other side does.
        if (sent === 20) controller.close();
        else controller.enqueue(new TextEncoder().encode('x'.repeat(1024 * 1024)));
        sent += 1;
      },
    });
    expect(await statusOf(stream, { duplex: 'half' })).toBe(413);
    expect(await contentOf(await chat(url, ask('?')))).toBe('ok');
  });

  it('200 forms of bad JSON: each its own 4xx, none a crash', async () => {
    const { url, engine } = await serveScripted(() => 'ok');
    const random = seededRandom(10);
    const good = JSON.stringify({
      ...ask('hi', {
        stream: false,
        temperature: 0.5,
        tools: [{ type: 'function', function: { name: 'f', parameters: {} } }],
      }),
      stop: ['x'],
      response_format: { type: 'text' },
      tool_choice: 'auto',
      model: 'scripted',
    });
    const junk = [...'"{[]}:,\\-', '\u0000', 'null', '1e999', '𝒳', '{"a":', '[[[[', 'true', '\ud800'];
    const mutate = () => {
      let text = good;
      for (let times = 0; times <= random() * 4; times += 1) {
        const at = Math.floor(random() * text.length);
        const end = at + Math.floor(random() * 6);
        text = text.slice(0, at) + (junk[Math.floor(random() * junk.length)] ?? '') + text.slice(end);
      }
      return text;
    };
    const user = '{"role":"user","content":"x"}';
    const named = [
      ...['', ' ', 'null', '[]', '1', '"x"', '{}', '['.repeat(100_000), '{"__proto__":{"messages":[]}}'],
      ...['[]', '{}', '[null]', '[{"role":"x","content":"y"}]'].map(messages => `{"messages":${messages}}`),
      `{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"x"}}]}]}`,
      '{"messages":[{"role":"tool","content":"x","tool_call_id":"1"}]}',
      `{"messages":${'[{"a":'.repeat(500)}1${'}]'.repeat(500)}}`,
      ...['"n":17', '"temperature":"hot"', '"tool_choice":"required"', '"max_tokens":0'].map(
        field => `{"messages":[${user}],${field}}`,
      ),
    ];
    const bodies = [...named, ...Array.from({ length: 200 - named.length }, mutate)];
    const statusOf = async (body: string, index: number) => {
      const path = index % 3 === 2 ? '/api/chat' : '/v1/chat/completions';
      const response = await fetch(url + path, { method: 'POST', body });
      const text = await response.text();
      expect(text).not.toMatch(/node_modules|\bat .*\.[jt]s:\d+/);
      if (response.status >= 400) expect(JSON.parse(text)).toHaveProperty('error');
      return response.status;
    };
    const statuses: number[] = [];
    // Twenty at a time: the queue is not what is tested here.
    for (let from = 0; from < bodies.length; from += 20) {
      const some = bodies.slice(from, from + 20).map((body, index) => statusOf(body, from + index));
      statuses.push(...(await Promise.all(some)));
    }
    expect(bodies).toHaveLength(200);
    expect(statuses.filter(status => status >= 500)).toEqual([]);
    expect(statuses.slice(0, named.length).filter(status => status < 400 || status > 499)).toEqual([]);
    expect(statuses.filter(status => status >= 400).length).toBeGreaterThan(150);
    expect(engine.running).toBe(0);
  });
});
