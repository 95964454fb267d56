import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { runBuiltin } from '../../../src/cli/builtins/run-builtin.ts';
import { type OpenChat, openChat } from '../../../src/cli/chat/open-chat.ts';
import type { ChatArguments } from '../../../src/cli/options/option-table.ts';
import type { OpenModel } from '../../../src/run/open-model.ts';
import { FakeModel } from '../../agent/fakes.ts';
import { tempFolder } from '../../model/temp-folder.ts';

let dir: string;

beforeEach(() => {
  dir = tempFolder();
  vi.spyOn(process, 'cwd').mockReturnValue(dir);
  vi.stubEnv('HOME', dir);
  for (const name of ['XDG_STATE_HOME', 'XDG_CONFIG_HOME']) vi.stubEnv(name, undefined);
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

/** Models of every name, and whether each was asked to think. */
function models() {
  const asked: string[] = [];
  const openModel: OpenModel = async ({ text: name }) => {
    const setThinking = (on: boolean) => {
      asked.push(`${name} ${on}`);
      return name === 'org/fixed' ? ('none' as const) : ('done' as const);
    };
    const model = Object.assign(new FakeModel([]), { setThinking });
    return { model, name, device: 'cpu', description: name, notices: [], close: async () => undefined };
  };
  return { asked, openModel };
}

async function started(args: ChatArguments, openModel = models().openModel): Promise<OpenChat> {
  const chat = await openChat({ model: 'org/one', mcp: false, system: 'S', ...args }, openModel);
  onTestFinished(() => chat.close());
  return chat;
}

describe('--resume', () => {
  const SAID = { role: 'user', content: 'one' } as const;

  /** Saved with the system prompt 'A'. */
  async function saved(): Promise<string> {
    const { session } = await started({ system: 'A' });
    session.history.add(SAID);
    const path = join(dir, 'talk.json');
    session.save(path);
    return path;
  }

  test.each<[string, ChatArguments, string | undefined]>([
    ['its own system prompt', {}, 'A'],
    ['that of --system', { system: 'B' }, 'B'],
    ['none, if --system is empty', { system: '' }, undefined],
  ])('a conversation goes on with %s', async (_name, args, expected) => {
    const resume = await saved();
    writeFileSync(join(dir, 'config.json'), '{ "SystemPrompt": "C" }');
    const { session } = await started({ system: undefined, ...args, resume });
    const system = expected === undefined ? [] : [{ role: 'system', content: expected }];
    expect(session.history.messages).toEqual([...system, SAID]);
  });
});

describe('the config.json of a working directory', () => {
  const project = (config: object) =>
    writeFileSync(join(dir, 'config.json'), JSON.stringify({ SystemPrompt: 'S', ...config }));
  const refused = (key: string) => ({
    code: 'CONFIG',
    message: `config.json came with the working directory, and its ${key} 'org/its' is not on this machine`,
    hint: expect.stringContaining('llm-host pull org/its'),
  });

  test('has no model downloaded that the user has not named', async () => {
    project({ model: 'org/its' });
    await expect(started({ model: undefined })).rejects.toMatchObject(refused('model'));
    for (const args of [{ model: 'org/one' }, { model: undefined, config: ['config.json'] }])
      await started({ system: undefined, ...args });
  });

  test('nor a draft model', async () => {
    project({ draftModel: 'org/its' });
    await expect(started({})).rejects.toMatchObject(refused('draftModel'));
    for (const args of [{ draftModel: 'org/other' }, { model: 'ollama:x' }, { config: ['config.json'] }])
      await started(args);
  });

  test('may name a model that is here', async () => {
    mkdirSync(join(dir, 'org', 'its'), { recursive: true });
    project({ model: 'org/its', draftModel: './org/its' });
    await started({ model: undefined });
  });
});

describe('/model', () => {
  test('goes on with a model that thinks as --think says, or /think later', async () => {
    const { asked, openModel } = models();
    const { session } = await started({ think: false }, openModel);
    await runBuiltin('/model org/two', session);
    await runBuiltin('/think on', session);
    await runBuiltin('/model org/three', session);
    expect(asked).toEqual(['org/one false', 'org/two false', 'org/two true', 'org/three true']);
  });

  test('tells what the other model cannot do of it', async () => {
    const { session } = await started({ think: true });
    const said = await runBuiltin('/model org/fixed', session);
    expect(said?.output).toContain('Notice: The chat template of org/fixed has no switch for thinking');
  });

  test('leaves thinking to the model if nobody said anything', async () => {
    const { asked, openModel } = models();
    const { session } = await started({}, openModel);
    await runBuiltin('/model org/two', session);
    expect(asked).toEqual([]);
  });

  test('takes a model of Ollama after one with an adapter', async () => {
    const { session } = await started({ adapter: ['folder'] });
    expect((await runBuiltin('/model ollama:x', session))?.output).toBe('ollama:x');
  });
});
