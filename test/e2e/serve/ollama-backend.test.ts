import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { MAIN, Program, runProgram, SCRIPTED_MAIN, workplace } from '../program.ts';

const CONFIG = JSON.stringify({ SystemPrompt: 'You are a helpful assistant.', sampling: { temperature: 0 } });

/** A server that runs until the test ends, and its address. */
async function serving(main: string, model: string, { dir, env }: ReturnType<typeof workplace>) {
  const server = new Program(main, ['serve', model, '--port', '0', '--no-mcp'], { cwd: dir, env });
  const url = await server.url();
  return { server, url };
}

const servers = (root: string) =>
  JSON.stringify({
    servers: {
      calculator: { command: 'llm-host', args: ['server', 'calculator'] },
      files: { command: 'llm-host', args: ['server', 'files', '--root', root] },
    },
  });

describe('the Ollama backend', { timeout: 120_000 }, () => {
  it('answers over our own server with two MCP servers, as the real program with the demo model', async () => {
    const place = workplace({ 'config.json': CONFIG });
    const { server, url } = await serving(MAIN, 'demo', place);
    writeFileSync(`${place.dir}/mcp.json`, servers(place.dir));
    const args = ['ollama:demo', '--ollama-base-url', url, '-p', 'What is 17 + 25?'];
    const ended = await runProgram(MAIN, args, { cwd: place.dir, env: place.env });
    expect(ended.stderr).toContain('Calling tool: add(a=17, b=25)');
    expect(ended.stderr).toContain('Server files: 4 tools');
    expect(ended).toMatchObject({ code: 0, stdout: '17 + 25 is 42.\n' });
    server.child.kill('SIGTERM');
    expect((await server.ended).code).toBe(143);
  });

  it('takes its address and model from config.json, and calls whose text it has to read again', async () => {
    const call = (text: string) => `<tool_call>\n${text}\n</tool_call>`;
    const replies = [call('{"name": "add", "arguments": {"a": "2", "b": 3}}'), 'It is 5.'];
    const place = workplace({ 'script.json': JSON.stringify({ replies }), 'config.json': CONFIG });
    const env = { ...place.env, LLM_HOST_SCRIPT: `${place.dir}/script.json` };
    const { url } = await serving(SCRIPTED_MAIN, 'scripted', { ...place, env });
    writeFileSync(`${place.dir}/mcp.json`, servers(place.dir));
    const config = { SystemPrompt: 'x', ollama: { base_url: url, model: 'scripted', timeout: 20 } };
    writeFileSync(`${place.dir}/config.json`, JSON.stringify(config));
    const ended = await runProgram(MAIN, ['--backend', 'ollama', '-p', 'Add'], { cwd: place.dir, env });
    expect(ended).toMatchObject({ code: 0, stdout: 'It is 5.\n' });
    expect(ended.stderr).toContain('Calling tool: add(a=2, b=3)');
  });

  it('an Ollama that is not there is one clear line, and exit code 69', async () => {
    const { dir, env } = workplace({ 'config.json': CONFIG });
    const args = [
      '-m',
      'qwen2:7b',
      '--backend',
      'ollama',
      '--ollama-base-url',
      'http://127.0.0.1:9',
      '--no-mcp',
    ];
    const { code, stderr } = await runProgram(MAIN, args, { cwd: dir, env });
    expect(code).toBe(69);
    expect(stderr).toMatch(/^Error: Ollama is not reachable at http:\/\/127\.0\.0\.1:9\n/m);
    expect(stderr).toContain('Start it with `ollama serve`');
  });
});
