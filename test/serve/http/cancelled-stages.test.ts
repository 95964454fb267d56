import { expect, it } from 'vitest';
import { LlmHostError } from '../../../src/errors.ts';
import type { CallOptions, ToolOutcome } from '../../../src/mcp/tool-host.ts';
import { answer, FakeHost } from '../../agent/fakes.ts';
import { ask, chat, contentOf, endless } from '../asking.ts';
import { callText, question, type Script, serveScripted, until } from '../scripted.ts';

type Served = Awaited<ReturnType<typeof serveScripted>>;

interface Stage {
  /** What the model says to the request that is cancelled. */
  readonly script: Script;
  /** Whether the request has come so far. */
  readonly reached: (served: Served, tools: FakeHost) => boolean;
  /** Another request takes the engine before it, or while its tool runs. */
  readonly behind?: 'start' | 'call';
}

/** Until the request is cancelled. */
const never = (signal: AbortSignal | undefined) =>
  new Promise<never>((_, reject) => {
    signal?.addEventListener('abort', () => reject(new LlmHostError('CANCELLED', 'cancelled')));
  });

const STAGES: Readonly<Record<string, Stage>> = {
  queued: {
    script: () => 'never said',
    reached: ({ context }) => context.queue.waiting === 1,
    behind: 'start',
  },
  'in its prefill': {
    script: async function* (_prompt, { signal }) {
      await never(signal).catch(() => undefined);
      yield 'never said';
    },
    reached: ({ engine }) => engine.running === 1,
  },
  'in decode': { script: endless, reached: ({ engine }) => engine.steps > 5 },
  'in a tool call': {
    script: () => callText('wait', {}),
    reached: (_, tools) => tools.calls.some(({ name }) => name === 'wait'),
  },
  'in the round after a call': {
    script: prompt => (prompt.includes('blue') ? endless() : callText('look', {})),
    reached: ({ engine }) => engine.requests.length === 2 && engine.running === 1,
  },
  'queued between its rounds': {
    script: prompt => (prompt.includes('done') ? 'never said' : callText('gate', {})),
    reached: ({ context }) => context.queue.waiting === 1,
    behind: 'call',
  },
  'in the repair of a call': {
    script: prompt =>
      prompt.includes('not') ? endless() : '<tool_call>\n{"name": "look", oops}\n</tool_call>',
    reached: ({ engine }) => engine.requests.length === 2 && engine.steps > 60,
  },
};

const cases = Object.entries(STAGES).flatMap(([name, stage]) =>
  [true, false].map(stream => [`${stream ? 'streamed' : 'whole'}, ${name}`, stream, stage] as const),
);

it.each(cases)('a request that its client gives up, %s, leaves nothing behind', async (_, stream, stage) => {
  const [engineFree, freeEngine] = gate();
  const [toolOpen, openTool] = gate();
  const tools = new FakeHost({
    look: answer('blue'),
    gate: async (): Promise<ToolOutcome> => {
      await toolOpen;
      return { text: 'done', isError: false };
    },
    wait: (_args: unknown, { signal }: CallOptions): Promise<ToolOutcome> => never(signal),
  });
  const served = await serveScripted(
    (prompt, request) => {
      if (question(prompt) === 'other') return 'served';
      return question(prompt) === 'busy' ? after(engineFree, 'free') : stage.script(prompt, request);
    },
    { turns: { tools } },
  );
  const { url, context, engine, records } = served;
  const stopping = countListeners(context.stopping);
  const busy = async () => {
    const asked = chat(url, ask('busy', { user: 'b' }));
    const before = engine.requests.length;
    await until(() => engine.requests.length > before && engine.running === 1);
    return asked;
  };
  const stop = new AbortController();
  const first = stage.behind === 'start' ? [busy()] : [];
  if (stage.behind === 'start') await until(() => engine.running === 1);
  const given = chat(url, ask('this', { stream }), { signal: stop.signal })
    .then(response => response.text())
    .catch(() => 'given up');
  if (stage.behind === 'call') {
    await until(() => tools.calls.length === 1);
    first.push(busy());
    await until(() => engine.running === 1);
    openTool();
  }
  await until(() => stage.reached(served, tools));
  stop.abort();
  expect(await given).toBe('given up');
  // One that waits no longer gets no turn.
  if (stage.behind) await until(() => context.queue.waiting === 0);
  const asked = engine.requests.length;
  freeEngine();
  for (const answered of first) expect(await contentOf(await answered)).toBe('free');
  await until(() => engine.running === 0 && context.queue.admitted === 0 && context.queue.waiting === 0);
  await until(() => records.some(({ aborted }) => aborted));
  expect(engine.requests).toHaveLength(asked);
  expect(stopping()).toBe(0);
  expect(await contentOf(await chat(url, ask('other')))).toBe('served');
});

/** A promise, and what resolves it. */
function gate(): [Promise<void>, () => void] {
  let open = (): void => {};
  const opened = new Promise<void>(resolve => {
    open = resolve;
  });
  return [opened, open];
}

async function* after(opened: Promise<void>, text: string) {
  await opened;
  yield text;
}

/** How many listeners the signal has now. */
function countListeners(signal: AbortSignal): () => number {
  let count = 0;
  const { addEventListener, removeEventListener } = signal;
  signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
    count += 1;
    addEventListener.apply(signal, args);
  };
  signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
    count -= 1;
    removeEventListener.apply(signal, args);
  };
  return () => count;
}
