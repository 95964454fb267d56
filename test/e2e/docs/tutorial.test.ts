import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MAIN, ROOT, runProgram, workplace } from '../program.ts';

const page = (name: string) => readFileSync(join(ROOT, 'docs', name), 'utf8');
const PAGE = page('tutorial.md');
const example = (language: string) =>
  new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'm').exec(PAGE)?.[1];

function ownServer() {
  const [server, entry] = [example('js'), example('json')];
  if (!server || !entry) throw new Error('docs/tutorial.md has no server, or no entry for it');
  const { dir, env } = workplace({ 'dice.mjs': server, 'dice.json': entry });
  return { cwd: dir, env };
}

test('llm-host tools --mcp dice.json: the server of docs/tutorial.md offers its tool', async () => {
  const run = await runProgram(MAIN, ['tools', '--mcp', 'dice.json'], ownServer());
  expect(run).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^dice: ready, 1 tool\n.*roll_dice\(/),
  });
});

test('llm-host demo --mcp dice.json -p: the demo calls it', { timeout: 120_000 }, async () => {
  const args = ['demo', '--mcp', 'dice.json', '-p', 'Roll a die with 20 sides'];
  const run = await runProgram(MAIN, args, ownServer());
  expect(run).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/\d/),
    stderr: expect.stringContaining('Calling tool: roll_dice(sides=20)'),
  });
});

test('the request to serve is one that the examples of docs/serve.md test', () => {
  const [request] = /^curl [\s\S]*?\}'$/m.exec(PAGE) ?? [];
  expect(request).toContain('/v1/chat/completions');
  expect(page('serve.md')).toContain(request);
});
