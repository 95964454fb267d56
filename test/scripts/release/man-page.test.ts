import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { runNode } from '../../run-node.ts';

const module = new URL('../../../scripts/release/man-page.mjs', import.meta.url).href;
const MANIFEST = { version: '1.2.3', description: "Says .hello\\n, and 'bye'" };

test('the manual page has every command with its options, and is sound roff', async () => {
  const script = `import { manPage } from '${module}'; process.stdout.write(await manPage(${JSON.stringify(MANIFEST)}));`;
  const { status, stdout } = await runNode(['--input-type=module', '-e', script]);
  expect(status).toBe(0);
  expect(stdout).toMatch(/^\.TH LLM\\-HOST 1 "" "llm\\-host 1\.2\.3"/);
  const commands = [...stdout.matchAll(/^\.SS (\w+)\n\.nf\nllm\\-host (\w+)/gm)];
  expect(commands.map(([, name]) => name)).toEqual(commands.map(([, , name]) => name));
  expect(commands.map(([, name]) => name)).toEqual(expect.arrayContaining(['pull', 'serve', 'init']));
  expect(stdout).toContain('\\-\\-temperature');
  const groff = spawnSync('groff', ['-man', '-ww', '-P-cbou', '-Tascii'], {
    input: stdout,
    encoding: 'utf8',
  });
  // Where there is no groff, the text above is all that is looked at.
  if (groff.error) return;
  expect(groff.stderr).toBe('');
  expect(groff.stdout.replace(/\s+/g, ' ')).toContain(`llm-host - ${MANIFEST.description}`);
});
