import type { ReplyEvent } from '../../src/agent/model/chat-model.ts';
import { newModel } from '../../src/library/model.ts';
import { FakeModel, type Step } from '../agent/fakes.ts';
import { smallTokenizer } from '../tokens/small-tokenizer.ts';

/** A model of the library over scripted replies; `closed` counts how often it was. */
export function scriptedModel(...steps: Step[]) {
  const fake = new FakeModel(steps);
  const state = { closed: 0 };
  const opened = {
    model: fake,
    name: 'scripted',
    device: 'cpu',
    description: '',
    notices: [],
    close: async () => {
      state.closed += 1;
    },
  };
  return { model: newModel(opened, smallTokenizer([])), fake, state };
}

export const says = (text: string): readonly ReplyEvent[] => [{ type: 'content', text }];

export const calls = (name: string, args: Record<string, unknown>): readonly ReplyEvent[] => [
  { type: 'call', name, arguments: args, raw: '' },
];
