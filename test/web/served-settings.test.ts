import { expect, it } from 'vitest';
import { servedSettings } from '../../web/state/chat-state.ts';

const SETTINGS = { model: 'b', sampling: { temperature: 0 } };
const models = (...ids: string[]) => ({ models: ids.map(id => ({ id })) });

it.each([
  ['is served', models('a', 'b'), SETTINGS],
  ['is no longer served', models('c'), { sampling: SETTINGS.sampling }],
  ['may be served: the list is not there yet', models(), SETTINGS],
])('a chosen model that %s', (_, state, expected) => {
  expect(servedSettings(state as never, SETTINGS as never)).toEqual(expected);
});
