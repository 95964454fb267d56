import { describe, expect, it } from 'vitest';
import { LlmHostError } from '../../../src/errors.ts';
import { answer, FakeHost } from '../../agent/fakes.ts';
import { ask, chat, contentOf, endless } from '../asking.ts';
import { callText, question, serveScripted, until } from '../scripted.ts';

describe('tools', () => {
  it('one that hangs is timed out, the reply goes on, and others are served meanwhile', async () => {
    let hanging = false;
    let timeOut = () => {};
    const time = new Promise<void>(resolve => {
      timeOut = resolve;
    });
    const hang = async (_args: unknown, { timeoutMs }: { timeoutMs: number }) => {
      hanging = true;
      await time;
      throw new LlmHostError('TOOL_TIMEOUT', `Tool 'hang' timed out after ${timeoutMs / 1000}s`);
    };
    const { url } = await serveScripted(
      prompt => {
        if (question(prompt) === 'other') return 'served';
        return prompt.includes('timed out') ? 'It hangs.' : callText('hang', {});
      },
      { turns: { tools: new FakeHost({ hang }), toolTimeoutMs: 300 } },
    );
    const slow = chat(url, ask('call it'));
    await until(() => hanging);
    expect(await contentOf(await chat(url, ask('other')))).toBe('served');
    timeOut();
    expect(await contentOf(await slow)).toBe('It hangs.');
  });

  it('a client that leaves during a call ends the call', async () => {
    let ended = false;
    const wait = (_args: unknown, { signal }: { signal?: AbortSignal }) =>
      new Promise<never>((_, reject) => {
        signal?.addEventListener('abort', () => {
          ended = true;
          reject(new LlmHostError('CANCELLED', 'cancelled'));
        });
      });
    const tools = new FakeHost({ wait });
    const { url, context } = await serveScripted(() => callText('wait', {}), { turns: { tools } });
    const stop = new AbortController();
    const asked = chat(url, ask('?'), { signal: stop.signal }).catch(() => undefined);
    await until(() => tools.calls.length === 1);
    stop.abort();
    await asked;
    await until(() => ended && context.queue.admitted === 0);
  });

  it('a long result is read on within its request, and in no other', async () => {
    const tools = new FakeHost({ look: answer(`${'x'.repeat(1500)} the secret is 42`) });
    const references: string[] = [];
    const { url } = await serveScripted(
      prompt => {
        const [, reference] = /read_result \{"result": "(\w+)", "part"/.exec(prompt) ?? [];
        if (reference) references.push(reference);
        if (prompt.includes('the secret is 42')) return 'It is 42.';
        if (prompt.includes('There is no tool')) return 'It is gone.';
        if (reference || question(prompt) === 'more')
          return callText('read_result', { result: references[0], part: 2 });
        return callText('look', {});
      },
      { turns: { tools, maxResultChars: 1000 } },
    );
    expect(await contentOf(await chat(url, ask('look')))).toBe('It is 42.');
    expect(references.length).toBeGreaterThan(0);
    expect(await contentOf(await chat(url, ask('more')))).toBe('It is gone.');
    expect(tools.calls).toHaveLength(1);
  });

  it('events of tools are shown to those who ask for them', async () => {
    const tools = new FakeHost({ look: () => Promise.resolve({ text: 'blue', isError: false }) });
    const { url } = await serveScripted(
      prompt => (prompt.includes('blue') ? 'Blue.' : callText('look', {})),
      {
        turns: { tools },
      },
    );
    const headers = { 'x-llm-host-events': '1' };
    const whole = await (await chat(url, ask('?'), { headers })).json();
    const types = ['tool_call', 'tool_result'].map(type => expect.objectContaining({ type, name: 'look' }));
    expect(whole).toMatchObject({ llm_host_events: types });
    const streamed = await (await chat(url, ask('??', { stream: true }), { headers })).text();
    expect(streamed.match(/llm_host_event/g)).toHaveLength(2);
    expect(await (await chat(url, ask('???', { stream: true }))).text()).not.toContain('llm_host_event');
  });
});

describe('time and failure', () => {
  it('a request that takes too long ends with its own error, streamed or not', async () => {
    const { url } = await serveScripted(endless, { limits: { requestMs: 150 } });
    const whole = await chat(url, ask('?'));
    expect(whole.status).toBe(504);
    const streamed = await (await chat(url, ask('?', { stream: true }))).text();
    expect(streamed).toContain('"code":"timeout"');
  });

  it('a stream is kept alive while its request waits', async () => {
    const { url, engine } = await serveScripted(endless, { limits: { keepAliveMs: 20 } });
    const stop = new AbortController();
    const first = chat(url, ask('1'), { signal: stop.signal }).catch(() => undefined);
    await until(() => engine.running === 1);
    const second = await chat(url, ask('2', { stream: true }), { signal: stop.signal });
    const { value } = (await second.body?.getReader().read()) ?? {};
    expect(new TextDecoder().decode(value)).toMatch(/^: waiting, 0 ahead\n\n/);
    stop.abort();
    await first;
  });

  it('a failure of the engine is 500 without its stack, which the log has; before and in mid-stream', async () => {
    const { url, records } = await serveScripted(prompt => {
      if (question(prompt) === 'at once') throw new Error('secret detail');
      return (async function* () {
        yield 'abc';
        throw new Error('secret detail');
      })();
    });
    const response = await chat(url, ask('at once'));
    expect(response.status).toBe(500);
    const text = await response.text();
    expect(text).toContain('x-request-id');
    expect(text).not.toContain('secret');
    const id = response.headers.get('x-request-id');
    await until(() => records.length === 1);
    expect(records[0]).toMatchObject({ id, status: 500, problem: expect.stringContaining('secret detail') });
    const streamed = await (await chat(url, ask('later', { stream: true }))).text();
    expect(streamed).toContain('"content":"a"');
    expect(streamed).toContain('"type":"server_error"');
    expect(streamed).not.toContain('secret');
    await until(() => records.length === 2);
    expect(records[1]).toMatchObject({ problem: expect.stringContaining('secret detail') });
  });

  it('counts everything for Prometheus', async () => {
    const { url } = await serveScripted(() => 'ok');
    await (await chat(url, ask('?'))).text();
    await (await fetch(`${url}/nowhere`)).text();
    const text = await (await fetch(`${url}/metrics`)).text();
    expect(text).toContain('llm_host_http_requests_total{route="/v1/chat/completions",status="200"} 1');
    expect(text).toContain('llm_host_http_requests_total{route="unknown",status="404"} 1');
    expect(text).toMatch(/llm_host_generated_tokens_total 2\n/);
    expect(text).toMatch(/llm_host_proposed_tokens_total 0\n/);
    expect(text).toMatch(/llm_host_time_to_first_token_seconds_count 1\n/);
    for (const line of text.trim().split('\n'))
      expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{[^}]*\})? [\d.e+-]+)$/);
  });
});
