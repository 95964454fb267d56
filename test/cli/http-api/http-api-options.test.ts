import { expect, it } from 'vitest';
import { httpApiOptions } from '../../../src/cli/http-api/http-api-options.ts';

it.each([
  [{ host: '0.0.0.0' }, /--host 0\.0\.0\.0 can be reached from other machines: a key is needed/],
  [{ host: '192.168.1.2', apiKey: '' }, /--api-key is empty/],
  [{ port: 70_000 }, /--port must be an integer from 0 to 65535, got 70000/],
  [{ port: 1.5 }, /--port must be an integer/],
  [{ port: Number.NaN }, /--port must be an integer/],
  [{ maxGap: 0 }, /--max-gap must be an integer from 1 to 60000, got 0/],
  [{ maxQueue: 0 }, /--max-queue must be an integer from 1/],
  [{ apiKey: '@nowhere.txt' }, /nowhere\.txt cannot be read/],
  [{ models: ['org/name', ''] }, /a model name is empty/],
  [{ manageModels: true, models: ['org/name'] }, /--manage-models is only for servers of all models/],
  [{ corsOrigin: ['example'] }, /--cors-origin takes an origin/],
])('%j is refused', (args, message) => {
  expect(() => httpApiOptions(args, {})).toThrow(message);
});

it('a key from the environment opens other addresses; origins lose their paths', () => {
  const { access } = httpApiOptions(
    { host: '0.0.0.0', corsOrigin: ['https://example.org/page', '*'] },
    { LLM_HOST_API_KEY: 'k' },
  );
  expect(access).toMatchObject({ apiKey: 'k', corsOrigins: ['https://example.org', '*'] });
  expect(httpApiOptions({}, {})).toMatchObject({ port: 8080, places: 64, access: { host: '127.0.0.1' } });
  expect([httpApiOptions({}, {}).page, httpApiOptions({ page: false }, {}).page]).toEqual([true, false]);
  expect(
    [httpApiOptions({}, {}), httpApiOptions({ maxGap: 30 }, {})].map(({ engine }) => engine.maxGapMs),
  ).toEqual([undefined, 30]);
  expect(httpApiOptions({ manageModels: true, models: ['*'] }, {}).manageModels).toBe(true);
});
