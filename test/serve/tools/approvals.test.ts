import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { LlmHostError } from '../../../src/errors.ts';
import type { ApprovalRequest } from '../../../src/mcp/policy/approval.ts';
import type { HostCallOptions, ToolOutcome } from '../../../src/mcp/tool-host.ts';
import { PendingApprovals } from '../../../src/serve/http/approvals.ts';
import type { ApprovalEvent } from '../../../src/serve/http/wire-format.ts';
import { FakeHost } from '../../agent/fakes.ts';
import { chat } from '../asking.ts';
import { callText, question, type ServeOptions, serveScripted, until } from '../scripted.ts';

const ASKED = { 'x-llm-host-approval': 'rules' };

/** A host whose tool asks as the gate does, and says with what it was called. */
function asking(): FakeHost {
  return new FakeHost({
    remove: async (args, { approver, signal }: HostCallOptions): Promise<ToolOutcome> => {
      if (!approver) throw new LlmHostError('TOOL_REFUSED', 'nobody can be asked');
      const request: ApprovalRequest = {
        offered: 'remove',
        tool: 'remove',
        server: 'fake',
        arguments: args,
        reason: 'destructive',
        savedIn: undefined,
        problem: given => ('file' in (given as object) ? undefined : 'file is missing'),
        ...(signal && { signal }),
      };
      const answer = await approver.ask(request);
      if (answer === 'no') throw new LlmHostError('TOOL_REFUSED', 'The user declined');
      const run = typeof answer === 'string' ? args : answer.arguments;
      return { text: `removed ${JSON.stringify(run)} of ${approver.everyCall}`, isError: false };
    },
  });
}

async function serve(options: ServeOptions = {}) {
  const tools = asking();
  const served = await serveScripted(
    prompt =>
      question(prompt).includes('tool_response') || prompt.includes('<tool_response>')
        ? 'Done.'
        : callText('remove', { file: 'a' }),
    { turns: { tools }, ...options },
  );
  return { ...served, tools };
}

/** The events of a stream as they come. */
async function* eventsOf(response: Response) {
  let rest = '';
  for await (const chunk of response.body ?? []) {
    const lines = (rest + new TextDecoder().decode(chunk)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const data = line.startsWith('data: {') ? JSON.parse(line.slice(6)) : undefined;
      if (data?.llm_host_event) yield data.llm_host_event as ApprovalEvent | { type: string; text?: string };
      else if (data?.choices?.[0]?.delta.content)
        yield { type: 'content', text: data.choices[0].delta.content };
    }
  }
}

const body = { stream: true, messages: [{ role: 'user', content: 'Remove a' }] };

const answer = (url: string, id: string, given: object, init: RequestInit = {}) =>
  fetch(`${url}/v1/approvals/${id}`, { method: 'POST', body: JSON.stringify(given), ...init });

/** Answers the question of a stream with `given`, and returns how the call and the reply ended. */
async function answered(given: object) {
  const { url, tools, context } = await serve();
  const events = eventsOf(await chat(url, body, { headers: ASKED }));
  const seen: string[] = [];
  const said: unknown[] = [];
  for await (const event of events) {
    seen.push(event.type);
    if ('approval' in event) {
      expect(event).toMatchObject({ name: 'remove', server: 'fake', arguments: { file: 'a' }, seconds: 300 });
      expect(event.approval).toMatch(/^[\w-]{22}$/);
      const response = await answer(url, event.approval, given);
      said.push(response.status, await response.json());
      expect((await answer(url, event.approval, given)).status).toBe(404);
    }
    if (event.type === 'tool_result' || event.type === 'tool_error') said.push(event);
  }
  expect(context.approvals.size).toBe(0);
  return { seen, said, calls: tools.calls.length };
}

describe('a question in the stream', () => {
  it('is answered with yes', async () => {
    const { seen, said } = await answered({ approve: true });
    expect(seen.slice(0, 3)).toEqual(['tool_call', 'tool_approval', 'tool_result']);
    expect(said).toMatchObject([
      200,
      { object: 'approval', approved: true },
      { text: 'removed {"file":"a"} of false' },
    ]);
  });

  it('with other arguments', async () => {
    const { said } = await answered({ approve: true, arguments: { file: 'b' } });
    expect(said[2]).toMatchObject({ text: 'removed {"file":"b"} of false' });
  });

  it('with no, after which the model goes on', async () => {
    const { seen, said } = await answered({ approve: false });
    expect(said[2]).toMatchObject({ type: 'tool_error', refused: true, message: 'The user declined' });
    expect(seen.at(-1)).toBe('content');
  });

  it('waits on after an answer that cannot be taken', async () => {
    const { url } = await serve();
    for await (const event of eventsOf(await chat(url, body, { headers: ASKED }))) {
      if (!('approval' in event)) continue;
      const status = async (given: object) => (await answer(url, event.approval, given)).status;
      expect(await status({ approve: true, arguments: {} })).toBe(400);
      expect(await status({ approve: 'yes' })).toBe(400);
      expect(await status({})).toBe(400);
      expect(await (await answer(url, 'AAAAAAAAAAAAAAAAAAAAAA', { approve: true })).json()).toMatchObject({
        error: { code: 'approval_not_found' },
      });
      expect(await status({ approve: true })).toBe(200);
    }
  });

  it('is refused when its time is up', async () => {
    const { url } = await serve({ approvals: new PendingApprovals(50) });
    const ends = [];
    for await (const event of eventsOf(await chat(url, body, { headers: ASKED }))) ends.push(event);
    expect(ends).toContainEqual(
      expect.objectContaining({
        type: 'tool_error',
        refused: true,
        message: "Nobody approved the call of 'remove' within 1 s",
      }),
    );
  });

  it('ends when whoever is asked goes away, and nothing runs', async () => {
    const { url, context } = await serve();
    const gone = new AbortController();
    const response = await chat(url, body, { headers: ASKED, signal: gone.signal });
    const reading = (async () => {
      for await (const event of eventsOf(response)) if ('approval' in event) gone.abort();
    })();
    await expect(reading).rejects.toThrow();
    await until(() => context.approvals.size === 0 && context.metrics.active === 0);
  });

  it("another key's question does not exist", async () => {
    const keys = ['alice', 'bob'].map(name => ({ name, key: name }));
    const { url } = await serve({ access: { host: '127.0.0.1', allowedHosts: [], corsOrigins: [], keys } });
    const as = (name: string) => ({ authorization: `Bearer ${name}` });
    const response = await chat(url, body, { headers: { ...ASKED, ...as('alice') } });
    for await (const event of eventsOf(response)) {
      if (!('approval' in event)) continue;
      const status = async (headers: Record<string, string>) =>
        (await answer(url, event.approval, { approve: true }, { headers })).status;
      expect(await status({})).toBe(401);
      expect(await status(as('bob'))).toBe(404);
      expect(await status({ ...as('alice'), origin: 'http://evil.example' })).toBe(403);
      expect(await status(as('alice'))).toBe(200);
    }
  });
});

describe('who is asked', () => {
  it('nobody without the header; about every call with `all`', async () => {
    const { url } = await serve();
    const events = [];
    for await (const event of eventsOf(await chat(url, body, { headers: { 'x-llm-host-events': '1' } })))
      events.push(event);
    expect(events).toContainEqual(expect.objectContaining({ message: 'nobody can be asked', refused: true }));
    const all = await chat(url, body, { headers: { 'x-llm-host-approval': 'all' } });
    for await (const event of eventsOf(all)) {
      if ('approval' in event) await answer(url, event.approval, { approve: true });
      if (event.type === 'tool_result')
        expect(event).toMatchObject({ text: expect.stringContaining('of true') });
    }
  });

  it.each([
    [{ 'x-llm-host-approval': 'yes' }, true, 'must be rules or all'],
    [ASKED, false, 'needs "stream": true'],
  ])('%j with stream %s is refused', async (headers, stream, message) => {
    const { url, engine } = await serve();
    const response = await chat(url, { ...body, stream }, { headers });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain(JSON.stringify(message).slice(1, -1));
    expect(engine.requests).toEqual([]);
  });

  it('two requests wait side by side, each for its own answer', async () => {
    const { url, context } = await serve();
    const waiting = [chat(url, body, { headers: ASKED }), chat(url, body, { headers: ASKED })];
    const streams = (await Promise.all(waiting)).map(eventsOf);
    const next = async (stream: (typeof streams)[number]) => {
      while (true) {
        const { value } = await stream.next();
        if (value && 'approval' in value) return value.approval;
      }
    };
    const [first, second] = [await next(streams[0] as never), await next(streams[1] as never)];
    expect(context.approvals.size).toBe(2);
    expect((await answer(url, second, { approve: true })).status).toBe(200);
    await sleep(20);
    expect(context.approvals.size).toBe(1);
    expect((await answer(url, first, { approve: false })).status).toBe(200);
    for (const stream of streams) for await (const _ of stream);
  });
});

it('the tools of mcp.json can be listed', async () => {
  const { url } = await serve();
  expect(await (await fetch(`${url}/v1/tools`)).json()).toEqual({
    object: 'list',
    data: [{ name: 'remove', object: 'tool', server: 'fake', read_only: false, description: '' }],
  });
});
