import { afterEach, expect, it } from 'vitest';
import { McpHost } from '../../../src/mcp/host/mcp-host.ts';
import type { ElicitationAnswer } from '../../../src/mcp/server/elicitation.ts';
import { eventually, fixture } from '../../fixtures/mcp/support.ts';

const LIMIT = { timeoutMs: 20_000 };
let opened: McpHost | undefined;

afterEach(() => opened?.close());

/** A host whose server asks during each call; the questions that are open, and how to answer them. */
async function asking() {
  const host = new McpHost({ configs: [fixture('asking')] });
  opened = host;
  const questions: { readonly signal: AbortSignal; readonly answer: (answer: ElicitationAnswer) => void }[] =
    [];
  host.setElicitation(
    (_request, signal) =>
      new Promise(resolve => {
        questions.push({ signal, answer: resolve });
        signal.addEventListener('abort', () => resolve({ action: 'cancel' }));
      }),
  );
  await host.start();
  const ask = (signal?: AbortSignal) => host.call('ask', {}, { ...LIMIT, ...(signal && { signal }) });
  const asked = (count: number) => eventually(() => questions.length === count, 'it asks');
  return { host, questions, ask, asked };
}

it('the question of a call that is cancelled ends, and the next one reaches the user', async () => {
  const { host, questions, ask, asked } = await asking();
  const controller = new AbortController();
  const call = ask(controller.signal);
  await asked(1);
  controller.abort();
  await expect(call).rejects.toMatchObject({ code: 'CANCELLED' });
  expect(questions[0]?.signal.aborted).toBe(true);
  const next = ask();
  await asked(2);
  questions[1]?.answer({ action: 'accept', content: { name: 'Ann' } });
  expect((await next).text).toBe('accept Ann');
  expect(host.takeNotices().join()).not.toContain('declined');
});

it('a question that may belong to another call goes on', async () => {
  const { host, questions, ask, asked } = await asking();
  const controller = new AbortController();
  const call = ask();
  await asked(1);
  // Its own question has the id of the first, and is left out.
  const other = host.call('ask', {}, { ...LIMIT, signal: controller.signal });
  controller.abort();
  await expect(other).rejects.toMatchObject({ code: 'CANCELLED' });
  expect(questions[0]?.signal.aborted).toBe(false);
  await Promise.all([expect(call).rejects.toMatchObject({ code: 'TOOL_FAILED' }), host.close()]);
});
