import { expect, it, onTestFinished } from 'vitest';
import { McpHost } from '../../../src/mcp/host/mcp-host.ts';
import { fixture } from '../../fixtures/mcp/support.ts';
import { callText, serveScripted, until } from '../scripted.ts';

/** A model that calls `work`, which a real server makes a task of, and says what came of it. */
async function serveTask(behaviour: string) {
  const log: string[] = [];
  const tools = new McpHost({
    configs: [fixture('tasks', ['new', behaviour])],
    onLog: (_server, line) => log.push(line),
  });
  onTestFinished(() => tools.close());
  await tools.start();
  const script = (prompt: string): string => {
    const result = prompt.split('<tool_response>')[1]?.split('</tool_response>')[0]?.trim();
    return result === undefined ? callText('work', {}) : `It says: ${result}`;
  };
  const { url } = await serveScripted(script, { turns: { tools, toolTimeoutMs: 700 } });
  const ask = (fields: object, signal?: AbortSignal): Promise<Response> =>
    fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-llm-host-events': '1' },
      body: JSON.stringify({ model: 'org/scripted', messages: [{ role: 'user', content: 'go' }], ...fields }),
      ...(signal && { signal }),
    });
  return { ask, log };
}

it('a task that outlasts the limit of its call is waited for by the request', async () => {
  const { ask } = await serveTask('long');
  const { choices } = (await (await ask({})).json()) as { choices: { message: { content: string } }[] };
  expect(choices[0]?.message.content).toBe('It says: worked');
});

it('a client that goes away meanwhile: the task is cancelled at its server', {
  timeout: 20_000,
}, async () => {
  const { ask, log } = await serveTask('endless');
  const leaving = new AbortController();
  const response = await ask({ stream: true }, leaving.signal);
  let streamed = '';
  const read = async (): Promise<void> => {
    for await (const bytes of response.body ?? []) streamed += Buffer.from(bytes).toString();
  };
  const reading = expect(read()).rejects.toThrow();
  await until(() => streamed.includes('still at work as a task'));
  leaving.abort();
  await reading;
  await until(() => log.includes('cancelled'));
});
