// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the variables of mcp.json look like that
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { prepareServers, type Questions } from '../../src/run/prepare-servers.ts';
import { tempFolder } from '../model/temp-folder.ts';

/** A working directory, and a home with a state folder. */
function place() {
  const folder = tempFolder();
  const [cwd, home] = [join(folder, 'work'), join(folder, 'home')];
  for (const path of [cwd, home]) mkdirSync(path);
  return { cwd, env: { HOME: home }, stateFolder: join(home, 'state') };
}

const servers = (names: Record<string, object>) => JSON.stringify({ servers: names });
const run = { command: 'run' };

describe('prepareServers', () => {
  const none: Questions = { confirm: () => Promise.resolve(false), value: () => Promise.resolve(undefined) };

  it('merges, names files by their path from here, and asks nothing of what is replaced', async () => {
    const where = place();
    const asked: string[] = [];
    const input = [{ type: 'promptString', id: 'key' }];
    const first = {
      inputs: input,
      servers: { x: { command: 'run', args: ['${input:key}'] }, y: { arg: 1 } },
    };
    const config = await prepareServers(
      [
        { path: join(where.cwd, 'sub', 'a.json'), text: JSON.stringify(first) },
        { path: '/elsewhere/b.json', text: servers({ x: run }) },
      ],
      { ...where, questions: { ...none, value: async ({ id }) => void asked.push(id) } },
    );
    expect(asked).toEqual([]);
    expect(config.servers).toMatchObject([{ name: 'x', command: 'run', args: [], cwd: '/elsewhere' }]);
    expect(config.failures[0]?.error).toMatch(/^sub\/a\.json:1:\d+: server 'y': /);
    expect(config.warnings).toContain("sub/a.json: server 'x' is replaced by the one in /elsewhere/b.json");
  });

  it('asks for consent before inputs, and for no input of a refused server', async () => {
    const where = place();
    const text = JSON.stringify({
      inputs: [{ type: 'promptString', id: 'key' }],
      servers: { x: { command: 'run', env: { KEY: '${input:key}' } } },
    });
    const asked: string[] = [];
    const answers = (yes: boolean): Questions => ({
      confirm: async () => {
        asked.push('consent');
        return yes;
      },
      value: async ({ id }) => {
        asked.push(id);
        return 'typed-secret';
      },
    });
    const file = { path: join(where.cwd, 'mcp.json'), text, origin: 'project' as const };
    const refused = await prepareServers([file], { ...where, questions: answers(false) });
    expect([asked, refused.servers]).toEqual([['consent'], []]);
    const allowed = await prepareServers([file], { ...where, questions: answers(true) });
    expect(asked).toEqual(['consent', 'consent', 'key']);
    expect(allowed.servers).toMatchObject([{ env: { KEY: 'typed-secret' } }]);
    expect(allowed.secrets).toContain('typed-secret');
  });

  it('lets a file of the user, but none of a project, use a local address', async () => {
    const where = place();
    const text = servers({ x: { url: 'http://localhost:3000/mcp' } });
    const path = join(where.cwd, 'mcp.json');
    const env = { ...where.env, LLM_HOST_TRUST_MCP: '1' };
    const project = await prepareServers([{ path, text, origin: 'project' }], {
      ...where,
      env,
      questions: none,
    });
    expect(project.failures[0]?.error).toContain("'localhost' is on this machine or the local network");
    const user = await prepareServers([{ path, text }], { ...where, env, questions: none });
    expect(user.servers).toMatchObject([{ url: 'http://localhost:3000/mcp', localAccess: 'named' }]);
  });
});
