import { expect, test } from 'vitest';
import type { MachineGroup } from '../../../src/distributed/leader/machine-group.ts';
import { SharedEngine } from '../../../src/distributed/leader/shared-engine.ts';
import type { LocalJobEngine } from '../../../src/engine/engine-job.ts';
import { LlmHostError } from '../../../src/errors.ts';

const LOST = new LlmHostError('ENGINE', 'two (10.0.0.2:9001): its process has ended (SIGKILL)');
const RESULT = { finishReason: 'stop' };
const JOB = { promptIds: [1], maxTokens: 1 };

/** An engine that ends each reply at once, or fails. */
function engine(fails?: Error) {
  const state = { closed: 0, replies: 0 };
  const made = {
    async *events() {
      state.replies += 1;
      if (fails) throw fails;
      yield* [];
      return RESULT;
    },
    close: async () => {
      state.closed += 1;
    },
  };
  return { state, made: made as unknown as LocalJobEngine };
}

function shared({ lost = true, part = engine(), fit = undefined as Error | undefined } = {}) {
  const whole = engine();
  const group = {
    runs: 0,
    closed: 0,
    lostNow: () => (lost ? LOST : undefined),
    lost: async () => LOST,
    close: async () => {
      group.closed += 1;
    },
  };
  const checkAlone = () => {
    if (fit) throw fit;
  };
  const options = { engine: part.made, group: group as unknown as MachineGroup, checkAlone };
  const made = new SharedEngine({ ...options, loadAlone: async () => whole.made });
  const reply = async () => {
    const events = made.events(JOB as never);
    for (let step = await events.next(); ; step = await events.next()) if (step.done) return step.value;
  };
  return { made, part, whole, group, reply };
}

test('nothing is lost: nothing is said', () => {
  expect(shared({ lost: false }).made.takeNotices()).toEqual([]);
});

test('lost between two replies: it is said once, and the next one is made here', async () => {
  const { made, reply, part, whole } = shared();
  expect(made.takeNotices()).toEqual([`${LOST.message}; this machine loads the whole model to go on alone`]);
  expect(made.takeNotices()).toEqual([]);
  expect(await reply()).toBe(RESULT);
  expect(part.state).toEqual({ closed: 1, replies: 0 });
  expect(whole.state.replies).toBe(1);
});

test('lost in a reply: its error says it, and no notice repeats it', async () => {
  const { made, group, reply } = shared({ lost: false, part: engine(new LlmHostError('ENGINE', 'gone')) });
  // The others have heard of it by the second look.
  let looks = 0;
  Object.defineProperty(group, 'runs', { get: () => looks++ });
  await expect(reply()).rejects.toMatchObject({
    message: `${LOST.message}; the reply ends here`,
    hint: expect.stringContaining('The next prompt loads the whole model'),
  });
  group.lostNow = () => LOST;
  expect(made.takeNotices()).toEqual([]);
});

test('a model that this machine cannot hold is refused, each time, and not loaded', async () => {
  const fit = new LlmHostError('OUT_OF_MEMORY', 'Not enough memory: the model needs 80 GB');
  const { reply, whole } = shared({ fit });
  for (let turn = 0; turn < 2; turn++) {
    await expect(reply()).rejects.toMatchObject({
      code: 'ENGINE',
      message: `${LOST.message}, and this machine cannot continue alone (${fit.message})`,
      hint: expect.stringContaining('Start the worker again'),
    });
  }
  expect(whole.state.replies).toBe(0);
});

test('the other machines are let go while the part of this one still closes; the whole model waits for that', async () => {
  const { part, end } = slowToClose();
  const { group, reply, whole } = shared({ part });
  const replied = reply();
  await settle();
  expect({ closed: group.closed, replies: whole.state.replies }).toEqual({ closed: 1, replies: 0 });
  end();
  expect(await replied).toBe(RESULT);
  expect(whole.state.replies).toBe(1);
});

test('closed while nothing is lost: the group watches its machines until the part of this one has closed', async () => {
  const { part, end } = slowToClose();
  const { made, group } = shared({ lost: false, part });
  const closed = made.close();
  await settle();
  expect(group.closed).toBe(0);
  end();
  await closed;
  expect(group.closed).toBe(1);
});

function slowToClose() {
  const part = engine();
  let end = (): void => undefined;
  part.made.close = () =>
    new Promise(resolve => {
      end = resolve;
    });
  return { part, end: () => end() };
}

/** Lets everything that is ready run. */
const settle = () => new Promise(resolve => setImmediate(resolve));
