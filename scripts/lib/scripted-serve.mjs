import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './project.mjs';

const MAIN = join(root, 'test', 'e2e', 'scripted-main.mjs');

/**
 * Starts `serve` with the page, over a scripted engine and two MCP servers, in a folder of its own.
 * @param {object} script see test/e2e/scripted-main.mjs
 * @param {{ args?: readonly string[], port?: number }} [options]
 * @returns {Promise<{ url: string, files: string, stop(): Promise<void> }>} files: the folder of the `files` server
 */
export async function startScripted(script, { args = [], port = 0 } = {}) {
  const dir = mkdtempSync(join(tmpdir(), 'llm-host-page-'));
  const files = join(dir, 'files');
  for (const folder of ['home', 'files']) mkdirSync(join(dir, folder));
  for (const name of ['a', 'b', 'c', 'd', 'notes']) writeFileSync(join(files, `${name}.txt`), name);
  const servers = {
    files: { command: 'llm-host', args: ['server', 'files', '--root', files] },
    calculator: { command: 'llm-host', args: ['server', 'calculator'] },
  };
  writeFileSync(join(dir, 'mcp.json'), JSON.stringify({ servers }));
  writeFileSync(join(dir, 'script.json'), JSON.stringify(script));
  const env = {
    PATH: process.env.PATH,
    HOME: join(dir, 'home'),
    LANG: 'C.UTF-8',
    LLM_HOST_TRUST_MCP: '1',
    LLM_HOST_SCRIPT: join(dir, 'script.json'),
  };
  const child = spawn(process.execPath, [MAIN, 'serve', 'x', '--port', String(port), ...args], {
    cwd: dir,
    env,
  });
  const ended = new Promise(resolve => child.once('exit', resolve));
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
    rmSync(dir, { recursive: true, force: true });
  };
  return { url: await listening(child), files, stop };
}

function listening(child) {
  return new Promise((resolve, reject) => {
    let said = '';
    const hear = chunk => {
      said += chunk;
      const [, url] = /Listening on (\S+)/.exec(said) ?? [];
      if (url) resolve(url);
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.once('exit', () => reject(new Error(`serve ended:\n${said}`)));
  });
}
