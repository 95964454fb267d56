import { describe, expect, test } from 'vitest';
import { RequestTurns } from '../../src/agent/requests/request-turns.ts';
import type { TurnOptions } from '../../src/agent/turn/agent-options.ts';
import { Conversation } from '../../src/agent/turn/conversation.ts';
import { createHistory } from '../../src/chat/history.ts';
import type { ResponseFormat } from '../../src/grammar/response-format.ts';
import { answer, call, collect, content, FakeHost, FakeModel, STATS, type Step } from './fakes.ts';

class HeldModel extends FakeModel {
  withdrawsCalls = false;
  readonly canConstrain: boolean;
  readonly settled: boolean[] = [];

  constructor(steps: Step[], canConstrain = true) {
    super(steps);
    this.canConstrain = canConstrain;
  }

  callSettled(worked: boolean): void {
    this.settled.push(worked);
  }
}

const BAD = [{ type: 'malformed' as const, raw: '<tool_call>{', reason: 'no end' }];
const WORSE = [{ type: 'malformed' as const, raw: '<tool_call>[', reason: 'no end' }];

async function turn(model: FakeModel, options: Partial<TurnOptions> = {}) {
  const history = createHistory('SYS');
  const host = new FakeHost({ now: answer('noon') });
  const agent = new Conversation({
    model,
    tools: host,
    history,
    sampling: {},
    toolTimeoutMs: 1000,
    ...options,
  });
  const events = await collect(agent.turn('x'));
  return { events, history, held: model.requests.map(request => request.constrainCalls) };
}

describe('calls are held to their schemas', () => {
  test('auto: once the same words have failed twice, or at the last attempt', async () => {
    const same = new HeldModel([BAD, BAD, [call('now')], [content('Noon.')]]);
    expect((await turn(same)).held).toEqual([false, false, true, false]);
    expect(same.settled).toEqual([true]);
    const different = new HeldModel([BAD, WORSE, BAD]);
    expect((await turn(different)).held).toEqual([false, false, true]);
    expect(different.settled).toEqual([false]);
  });

  test('always, and off', async () => {
    expect((await turn(new HeldModel([BAD, [content('No.')]]), { constrain: 'always' })).held).toEqual([
      true,
      true,
    ]);
    expect((await turn(new HeldModel([BAD, BAD, BAD]), { constrain: 'off' })).held).toEqual([
      false,
      false,
      false,
    ]);
  });

  test('never by a model that cannot', async () => {
    const { held } = await turn(new HeldModel([BAD, BAD, BAD], false), { constrain: 'always' });
    expect(held).toEqual([false, false, false]);
  });
});

describe('a call whose arguments do not fit', () => {
  const WRONG = call('set', { on: 'perhaps' });
  const RIGHT = call('set', { on: true });
  const DONE = [content('Done.')];
  const UNREADABLE = (name: string, truncated = false) => ({
    type: 'malformed' as const,
    raw: `<tool_call>{"name": "${name}", "arguments": {"on": 7K}}</tool_call>`,
    reason: 'no end',
    truncated,
  });

  class SwitchHost extends FakeHost {
    constructor() {
      super({ set: answer('on'), get: answer('off') });
    }

    override tools() {
      const parameters = { type: 'object', properties: { on: { type: 'boolean' } }, required: ['on'] };
      return super.tools().map(tool => ({
        ...tool,
        definition: { ...tool.definition, function: { ...tool.definition.function, parameters } },
      }));
    }
  }

  async function run(steps: Step[], options: Partial<TurnOptions> = {}, canConstrain = true) {
    const model = new HeldModel(steps, canConstrain);
    const host = new SwitchHost();
    const { events, history, held } = await turn(model, { tools: host, ...options });
    const added = model.requests.map(request => request.messages.length - 2);
    return { events, history, held, added, calls: host.calls };
  }

  test('is written again at the same prompt, held to the schema, before anything is explained', async () => {
    const { events, history, held, added, calls } = await run([[WRONG], [RIGHT], DONE]);
    expect([held, added]).toEqual([
      [false, true, false],
      [0, 0, 2],
    ]);
    expect(calls).toEqual([{ name: 'set', args: { on: true } }]);
    expect(events.filter(({ type }) => type === 'tool_error')).toHaveLength(1);
    expect(history.messages.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'assistant',
    ]);
  });

  test('is written again like that also if it cannot be read, but names its tool', async () => {
    const { held, added, calls } = await run([[UNREADABLE('set')], [RIGHT], DONE]);
    expect([held, added]).toEqual([
      [false, true, false],
      [0, 0, 2],
    ]);
    expect(calls).toEqual([{ name: 'set', args: { on: true } }]);
  });

  test('beside one that fits: neither runs before both do', async () => {
    const { calls, held } = await run([[RIGHT, WRONG], [RIGHT, RIGHT], DONE]);
    expect([calls.length, held]).toEqual([2, [false, true, false]]);
  });

  test('is explained, and held, if it still does not fit', async () => {
    const { held, added } = await run([[WRONG], [WRONG], [RIGHT], DONE]);
    expect([held, added]).toEqual([
      [false, true, true, false],
      [0, 0, 2, 2],
    ]);
  });

  test('ends the turn after the last attempt', async () => {
    expect((await run([[WRONG], [WRONG], [WRONG]])).held).toEqual([false, true, true]);
    expect((await run([[WRONG], [WRONG]], { retry: { max: 1 } })).held).toEqual([false, true]);
    expect((await run([[WRONG]], { retry: { max: 0 } })).held).toEqual([false]);
  });

  test.each([
    ['behind words, which would be said twice', [content('Let me see.'), WRONG], {}, true],
    ['of a tool that there is not', [call('sett', { on: true })], {}, true],
    ['without an argument that the model would have to make up', [call('set', {})], {}, true],
    ['beside one that cannot be read and names no tool', [WRONG, ...BAD], {}, true],
    ['if it was cut off', [UNREADABLE('set', true)], {}, true],
    ['if it cannot be read and names two tools', [UNREADABLE('set", "get')], {}, true],
    ['if calls are never held', [WRONG], { constrain: 'off' as const }, true],
    ['by a model that cannot be held', [WRONG], {}, false],
  ])('is explained at once %s', async (_when, first, options, canConstrain) => {
    const { held, added } = await run([first, [RIGHT], DONE], options, canConstrain);
    expect([held[1], added[1]]).toEqual([false, expect.any(Number)]);
    expect(added[1]).toBeGreaterThan(0);
  });

  test('without an argument is written again where one that nobody gave withdraws the call', async () => {
    const model = new HeldModel([[call('set', {})], [content('On or off?')]]);
    model.withdrawsCalls = true;
    const { events, held } = await turn(model, { tools: new SwitchHost() });
    expect([held, model.requests.map(request => request.messages.length)]).toEqual([
      [false, true],
      [2, 2],
    ]);
    expect(events.at(-1)).toMatchObject({ type: 'assistant', text: 'On or off?' });
  });

  test('is not written again once the user has cancelled', async () => {
    const abort = new AbortController();
    const cancelled: Step = async function* () {
      yield WRONG;
      abort.abort();
      return { ...STATS, finishReason: 'cancelled' };
    };
    const model = new HeldModel([cancelled]);
    const history = createHistory('SYS');
    const agent = new Conversation({
      model,
      tools: new SwitchHost(),
      history,
      sampling: {},
      toolTimeoutMs: 1000,
    });
    const events = await collect(agent.turn('x', abort.signal));
    expect([events.at(-1), model.requests.length]).toMatchObject([{ type: 'assistant', cancelled: true }, 1]);
  });
});

describe('an answer in a format', () => {
  const responseFormat = {
    type: 'json_schema' as const,
    schema: { type: 'object', properties: { a: { type: 'string', maxLength: 2 } }, required: ['a'] },
  };

  test('is asked for in every round', async () => {
    const model = new FakeModel([[call('now')], [content('{"a":"x"}')]]);
    const { events } = await turn(model, { responseFormat });
    expect(model.requests.map(request => request.responseFormat)).toEqual([responseFormat, responseFormat]);
    expect(events.at(-1)).toMatchObject({ type: 'assistant', text: '{"a":"x"}' });
  });

  test('that does not fit, or was cut off, ends with an error', async () => {
    const long = await turn(new FakeModel([[content('{"a":"xyz"}')]]), { responseFormat });
    expect(long.events.at(-1)).toEqual({
      type: 'error',
      code: 'RESPONSE_FORMAT',
      message:
        'The reply does not fit the schema: $.a: expected to NOT have more than 2 characters, got "xyz"',
    });
    const cut: Step = async function* () {
      yield content('{"a":"x');
      return { ...STATS, finishReason: 'length' };
    };
    const { events, history } = await turn(new FakeModel([cut]), { responseFormat });
    expect(events.at(-1)).toMatchObject({
      code: 'RESPONSE_FORMAT',
      hint: expect.stringContaining('--max-tokens'),
    });
    expect(history.messages.at(-1)).toEqual({ role: 'assistant', content: '{"a":"x' });
  });

  test('that was cancelled is none', async () => {
    const stop: Step = async function* () {
      yield content('{');
      return { ...STATS, finishReason: 'cancelled' };
    };
    const { events } = await turn(new FakeModel([stop]), { responseFormat });
    expect(events.at(-1)).toMatchObject({ type: 'assistant', cancelled: true });
  });
});

/** The events of a client's request for a format, and the requests to the model. */
async function formatted(responseFormat: ResponseFormat, steps: Step[]) {
  const model = Object.assign(new FakeModel(steps), { canFollowFormat: true });
  const turns = new RequestTurns({
    model,
    tools: new FakeHost({}),
    systemMessage: '',
    sampling: {},
    toolTimeoutMs: 1000,
  });
  const events = await collect(
    turns
      .open({
        messages: [{ role: 'user', content: 'x' }],
        tools: [],
        toolChoice: 'auto',
        sampling: {},
        responseFormat,
        overflow: 'trim',
        ours: true,
      })
      .run({ acquire: async () => () => undefined, signal: new AbortController().signal }),
  );
  return { requests: model.requests, events: events.filter(event => event.type !== 'stats') };
}

test.each([
  ['a schema that can be followed', { type: 'json_schema', schema: { type: 'object' } }, true],
  ['any object', { type: 'json_object' }, true],
  ['a schema that is too much for a grammar', { type: 'json_schema', schema: { anyOf: [false] } }, false],
] as const)('a request for %s', async (_name, responseFormat, enforced) => {
  const { requests } = await formatted(responseFormat, [[content('{}')], [content('{}')], [content('{}')]]);
  expect(requests[0]?.responseFormat).toEqual(enforced ? responseFormat : undefined);
});

describe('a reply in a format', () => {
  const properties = { a: { type: 'integer' } };
  const PIECES = [content('\n{"a":'), content(' 1'), content('}')];
  const assistant = { type: 'assistant', text: '{"a": 1}', cancelled: false };

  test('streams where a grammar sees to all of it', async () => {
    const { events } = await formatted({ type: 'json_schema', schema: { type: 'object', properties } }, [
      PIECES,
    ]);
    const tokens = PIECES.map(piece => ({ ...piece, type: 'token' }));
    expect(events).toEqual([...tokens, assistant]);
  });

  test('comes in one piece where it is checked afterwards, and may be written again', async () => {
    const schema = { type: 'object', properties, minProperties: 1 };
    const { events, requests } = await formatted({ type: 'json_schema', schema }, [[content('{}')], PIECES]);
    expect(events).toEqual([{ type: 'token', text: '{"a": 1}' }, assistant]);
    expect(requests).toHaveLength(2);
  });

  test('that streams and does not fit all the same ends with an error', async () => {
    const { events, requests } = await formatted(
      { type: 'json_schema', schema: { type: 'object', properties } },
      [[content('{"a":'), content('"x"}')]],
    );
    expect(events.map(event => event.type)).toEqual(['token', 'token', 'error']);
    expect(events.at(-1)).toMatchObject({ message: expect.stringContaining('$.a: expected integer') });
    expect(requests).toHaveLength(1);
  });
});
