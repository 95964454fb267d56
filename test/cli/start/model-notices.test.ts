import { expect, test } from 'vitest';
import { modelNotices } from '../../../src/cli/start/model-notices.ts';
import { FakeModel } from '../../agent/fakes.ts';

const opened = (device: string, model = new FakeModel([])) => ({
  model,
  name: 'm',
  device,
  description: '',
  notices: [],
  close: () => Promise.resolve(),
});

test('sampling that Ollama has no option for is named; a local model has them all', () => {
  const sampling = { temperature: 1, logitBias: { 1: 2 } };
  expect(modelNotices(opened('ollama'), undefined, sampling)).toEqual([
    'Ollama has no option for --logit-bias; it has no effect.',
  ]);
  expect(modelNotices(opened('ollama'), undefined, { temperature: 1, seed: 2 })).toEqual([]);
  expect(modelNotices(opened('cpu'), undefined, sampling)).toEqual([]);
});

test('thinking is switched, and told where it cannot be', () => {
  const switched: boolean[] = [];
  const model = Object.assign(new FakeModel([]), {
    setThinking: (on: boolean) => {
      switched.push(on);
      return 'done' as const;
    },
  });
  expect(modelNotices(opened('cpu', model), false, {})).toEqual([]);
  expect(switched).toEqual([false]);
  expect(modelNotices(opened('cpu'), true, {})).toEqual([
    'The chat template of m has no switch for thinking; nothing changes.',
  ]);
});
