import { expect, test } from 'vitest';
import { startWorker } from '../../../src/distributed/leader/machine.ts';

/** A worker that `node -e SCRIPT` stands for. */
const host = (script: string) => ({
  name: 'two',
  control: { host: '127.0.0.1', port: 9001 },
  secret: undefined,
  model: undefined,
  start: [process.execPath, '-e', script, '--'],
});
const TITLE = 'two (127.0.0.1:9001)';

test('a banner is no worker: the limit counts until it listens', async () => {
  const silent = host(
    "console.log('Welcome to two'); console.error('mind the gap'); setInterval(() => {}, 1000)",
  );
  await expect(startWorker(silent, TITLE, 1500)).rejects.toMatchObject({
    code: 'ENGINE',
    message: `the worker on ${TITLE} has not started after 1.5 s`,
    hint: 'mind the gap',
  });
});

test('a worker listens behind a banner, has the secret, and ends with its input', async () => {
  const script = `let text = '';
    process.stdin.on('data', chunk => {
      text += chunk;
      if (text.length === 65) console.log('Welcome\\nListening on ' + process.argv.at(-4));
    });`;
  const started = await startWorker(host(script), TITLE);
  expect(started.secret).toMatch(/^[0-9a-f]{64}$/);
  started.end();
  await started.ended;
});

test.each([
  ['ends', 'process.exit(3)', /has not started: ssh ended with 3/],
  ['ends behind its banner', "console.log('Welcome'); process.exitCode = 4", /ssh ended with 4/],
])('one that %s', async (_, script, message) => {
  await expect(startWorker(host(script), TITLE)).rejects.toThrow(message);
});

test('a program that is not there', async () => {
  const nowhere = { ...host(''), start: ['/nowhere/ssh'] };
  await expect(startWorker(nowhere, TITLE)).rejects.toThrow(/cannot be started \(.*ENOENT/);
});
