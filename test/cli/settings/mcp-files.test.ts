import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { APPLICATION_DIRECTORY } from '../../../src/cli/process/app.ts';
import { findMcpFile } from '../../../src/cli/settings/lookup.ts';
import { loadServeSettings, loadSettings, lookUpMcpFile } from '../../../src/cli/settings/settings.ts';
import { prepareServers } from '../../../src/run/prepare-servers.ts';
import { tempFolder } from '../../model/temp-folder.ts';

/** A home and a working directory with these files. */
function place(files: Readonly<Record<string, string>>) {
  const folder = tempFolder();
  const [cwd, home] = [join(folder, 'work'), join(folder, 'home')];
  for (const [name, text] of Object.entries({ 'work/.keep': '', 'home/.keep': '', ...files })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return {
    cwd,
    env: { HOME: home, XDG_CONFIG_HOME: join(home, 'config'), XDG_STATE_HOME: join(home, 'state') },
  };
}

const CONFIG = '{ "SystemPrompt": "x" }';
const servers = (names: Record<string, object>) => JSON.stringify({ servers: names });
const run = { command: 'run' };

describe('where an mcp file is looked for', () => {
  const all = ['work/mcp.json', 'work/.vscode/mcp.json', 'work/.mcp.json', 'home/config/llm-host/mcp.json'];

  it.each([0, 1, 2, 3])('%i: the first hit wins', index => {
    const where = place(Object.fromEntries(all.slice(index).map(name => [name, servers({ [name]: run })])));
    const [file] = lookUpMcpFile(where) ?? [];
    expect(file?.text).toContain(all[index] ?? '');
    expect(file?.origin).toBe(index < 3 ? 'project' : 'user');
  });

  it("serve needs none, and reads Ollama's as well, where local addresses need allowLocalNetwork", async () => {
    const list =
      '{"servers":[{"name":"x","url":"http://localhost:3000/mcp"},{"name":"y","url":"http://127.0.0.1:1/","allowLocalNetwork":true}]}';
    expect(loadServeSettings({}, false, place({})).mcpFiles).toEqual([]);
    const where = place({ 'home/.ollama/mcp.json': list, 'work/mcp.json': servers({ own: run }) });
    expect(lookUpMcpFile(where)).toMatchObject([{ origin: 'project' }]);
    const { mcpFiles = [] } = loadServeSettings({}, false, where);
    expect(mcpFiles).toMatchObject([{ text: list, origin: 'foreign' }, { origin: 'project' }]);
    const read = await prepareServers(mcpFiles.slice(0, 1), { ...where, stateFolder: where.cwd });
    expect(read.servers.map(server => server.name)).toEqual(['y']);
    expect(read.failures).toMatchObject([{ name: 'x', error: expect.stringContaining('not allowed here') }]);
  });

  it("the application directory is the user's own, also as the working directory", () => {
    expect(findMcpFile({ cwd: APPLICATION_DIRECTORY, env: place({}).env }).project).toBe(false);
  });
});

describe('files that are named', () => {
  const files = () =>
    place({
      'work/config.json': CONFIG,
      'work/mcp.json': servers({ looked: run }),
      'work/a.json': servers({ a: run }),
      'work/b.json': '{"mcpServers": {"b": {"command": "run"}}}',
      'work/broken.json': '{"servers": {"x": {]}',
    });
  const names = (args: object) =>
    loadSettings(args, false, files()).mcpFiles?.map(file => file.path.split('/').at(-1));

  it('take the place of the lookup, --config before --mcp', () => {
    expect(names({})).toEqual(['mcp.json']);
    expect(names({ mcp: ['b.json'], config: ['a.json'] })).toEqual(['a.json', 'b.json']);
    expect(names({ mcp: false, config: ['a.json'] })).toBeUndefined();
  });

  it('are no config files when they hold servers, even broken ones', async () => {
    const where = files();
    const settings = loadSettings({ config: ['broken.json'] }, false, where);
    expect(settings.config.SystemPrompt).toBe('x');
    await expect(
      prepareServers(settings.mcpFiles ?? [], { ...where, stateFolder: where.cwd }),
    ).rejects.toThrow('Invalid JSON in broken.json: property name expected at 1:20');
  });

  it.each(['none.json', '.'])('%s: refused by name', name => {
    expect(() => loadSettings({ mcp: [name] }, false, files())).toThrow(/does not exist|is not a file/);
  });
});
