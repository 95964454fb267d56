import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { localSource } from '../../src/model/model-source.ts';
import { openLog } from '../../src/run/log.ts';
import type { OpenModel } from '../../src/run/open-model.ts';
import { openModelAndServers, type RunOptions } from '../../src/run/open-model-and-servers.ts';
import { FakeModel } from '../agent/fakes.ts';
import { tempFolder } from '../model/temp-folder.ts';

/** The options of a run without servers, and what happened to its model, in order. */
function place(servers: object = {}) {
  const cwd = tempFolder();
  const steps: string[] = [];
  const openModel: OpenModel = async ({ text: source }) => {
    steps.push(`open ${source}`);
    return {
      model: new FakeModel([]),
      name: source,
      device: 'cpu',
      description: `Model ${source}`,
      notices: ['a base model'],
      close: async () => void steps.push('close'),
    };
  };
  const ignore = () => undefined;
  const options: RunOptions = {
    source: localSource('org/fake', { cwd }),
    openModel,
    cwd,
    env: {},
    stateFolder: join(cwd, 'state'),
    modelOptions: {
      contextLength: 0,
      kvBits: undefined,
      onProgress: ignore,
      onDownload: ignore,
      onWait: ignore,
    },
    mcpFiles: [{ path: join(cwd, 'mcp.json'), text: JSON.stringify({ servers }) }],
    serverOptions: { clientInfo: { name: 'test', version: '1' } },
    log: openLog(join(cwd, 'x.log'), 'info', expect.unreachable),
  };
  return { options, steps };
}

describe('openModelAndServers', () => {
  it('opens model and servers; a broken server is a notice', async () => {
    const { options } = place({ gone: { command: '/nonexistent/program' } });
    const run = await openModelAndServers(options);
    expect(run.summary).toEqual(['Model org/fake']);
    expect(run.notices).toEqual(['a base model', expect.stringMatching(/^Server 'gone': the command /)]);
    expect(run.systemText('Be brief.')).toBe('Be brief.');
    expect(run.systemText('')).toBe('');
    await run.close();
  });

  it('refuses a broken mcp file before it opens the model', async () => {
    const { options, steps } = place();
    const mcpFiles = [{ path: join(options.cwd, 'mcp.json'), text: '{ "servers": ' }];
    await expect(openModelAndServers({ ...options, mcpFiles })).rejects.toThrow('Invalid JSON in mcp.json');
    expect(steps).toEqual([]);
  });

  it('asks about servers only once the model is open; a model that cannot be opened asks nothing', async () => {
    const { options, steps } = place({ stranger: { command: 'program' } });
    const project = options.mcpFiles.map(file => ({ ...file, origin: 'project' as const }));
    const questions = {
      confirm: async () => {
        steps.push('ask');
        return false;
      },
      value: () => Promise.resolve(undefined),
    };
    const asking = { ...options, mcpFiles: project, questions };
    const run = await openModelAndServers(asking);
    expect(steps).toEqual(['open org/fake', 'ask']);
    await run.close();
    const openModel: OpenModel = () => Promise.reject(new Error('no such model'));
    await expect(openModelAndServers({ ...asking, openModel })).rejects.toThrow('no such model');
    const refusing = { ...questions, confirm: () => Promise.reject(new Error('the terminal is gone')) };
    await expect(openModelAndServers({ ...asking, questions: refusing })).rejects.toThrow(
      'the terminal is gone',
    );
    expect(steps).toEqual(['open org/fake', 'ask', 'close', 'open org/fake', 'close']);
  });

  it('fails with the reason of a model that cannot be opened', async () => {
    const { options } = place();
    const openModel: OpenModel = () => Promise.reject(new Error('no such model'));
    await expect(openModelAndServers({ ...options, openModel })).rejects.toThrow('no such model');
  });
});

describe('closing', () => {
  it('runs what still needs the model first, and only once', async () => {
    const { options, steps } = place();
    const run = await openModelAndServers(options);
    const first = run.close(async () => void steps.push('save'));
    await Promise.all([first, run.close(), run.close()]);
    expect(steps).toEqual(['open org/fake', 'save', 'close']);
  });

  it('closes the model even if that fails', async () => {
    const { options, steps } = place();
    const run = await openModelAndServers(options);
    await expect(run.close(() => Promise.reject(new Error('disk full')))).rejects.toThrow('disk full');
    expect(steps).toEqual(['open org/fake', 'close']);
  });
});
