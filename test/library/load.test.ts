import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { loadEngine, loadModel } from '../../src/library/load.ts';
import { tempFolder } from '../model/temp-folder.ts';

it.each([
  ['loadModel', loadModel],
  ['loadEngine', loadEngine],
])('%s: what its signal ends is CANCELLED', async (_, load) => {
  const stop = new AbortController();
  // The Hub is asked, and nobody wants its answer any more.
  const hub = createServer(() => stop.abort(new Error('no more')));
  await new Promise<void>(resolve => hub.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    hub.closeAllConnections();
    hub.close();
  });
  const { port } = hub.address() as AddressInfo;
  const env = { HOME: tempFolder(), HF_ENDPOINT: `http://127.0.0.1:${port}` };
  const { signal } = stop;
  const cancelled = {
    name: 'LlmHostError',
    code: 'CANCELLED',
    message: 'Loading org/model was cancelled',
  };
  await expect(load('org/model', { env, signal })).rejects.toMatchObject(cancelled);
  // Before it begins, too.
  await expect(load('org/model', { env, signal })).rejects.toMatchObject(cancelled);
});
