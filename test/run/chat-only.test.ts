import { expect, it } from 'vitest';
import { localSource } from '../../src/model/model-source.ts';
import { openLocalModel } from '../../src/run/open-local-model.ts';
import { chatOnly } from '../../src/run/open-model.ts';
import { fakeEmbedder } from '../embed/fake-encoder.ts';

const options = {
  cwd: process.cwd(),
  env: process.env,
};

const BERT = localSource('test/fixtures/encoders/bert-mean', options);

it('a model that turns texts into vectors is closed and refused', async () => {
  const { embedder, encoder } = fakeEmbedder();
  const real = await openLocalModel(BERT, options);
  const { model } = real;
  const opened = { model, embedder, name: 'org/fake', device: 'cpu', description: '', notices: [] };
  const open = chatOnly(async () => ({ ...opened, close: () => embedder.close() }));
  await expect(open(BERT, options)).rejects.toMatchObject({
    code: 'USAGE',
    message: 'org/fake turns texts into vectors and does not chat',
  });
  expect(encoder.closed).toBe(1);
  expect(() => model.reply({ messages: [], tools: [], sampling: {} })).toThrow('does not chat');
  await real.close();
});

it('a chat model is opened', async () => {
  const { embedder: _, ...opened } = await openLocalModel(BERT, options);
  expect(await chatOnly(async () => opened)(BERT, options)).toBe(opened);
  await opened.close();
});
