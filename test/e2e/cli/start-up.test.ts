import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { MAIN, ROOT, runProgram, workplace } from '../program.ts';
import { Terminal } from '../pty.ts';

test('no model: the usage line, the error, exit 2', async () => {
  const { dir, env } = workplace();
  const { code, stderr, stdout } = await runProgram(MAIN, [], { cwd: dir, env });
  expect(stderr).toMatch(/^Usage: llm-host <model> .*\nError: missing model\n$/);
  expect([code, stdout]).toEqual([2, '']);
});

test('an unknown option names the nearest known one', async () => {
  const { dir, env } = workplace();
  const { code, stderr } = await runProgram(MAIN, ['demo', '--temprature', '1'], { cwd: dir, env });
  expect(stderr).toContain('Error: unknown option --temprature; did you mean --temperature?');
  expect(code).toBe(2);
});

test('config.json missing: the places searched and the fix, exit 78', async () => {
  const { dir, env } = workplace();
  const { code, stderr } = await runProgram(MAIN, ['some/model', '--no-mcp'], { cwd: dir, env });
  expect(stderr).toContain('Error: config.json not found in application directory\n');
  expect(stderr).toContain(join(dir, 'config.json'));
  expect(stderr).toContain('llm-host init');
  expect(code).toBe(78);
});

test('a truncated safetensors file: file and tensor named, exit 65', async () => {
  const { dir, env } = workplace();
  const model = join(dir, 'model');
  mkdirSync(model);
  const header = JSON.stringify({ w: { dtype: 'F32', shape: [4, 4], data_offsets: [0, 64] } });
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(BigInt(header.length));
  writeFileSync(join(model, 'config.json'), '{ "model_type": "llama" }');
  writeFileSync(
    join(model, 'model.safetensors'),
    Buffer.concat([size, Buffer.from(header), Buffer.alloc(10)]),
  );
  const { code, stderr } = await runProgram(MAIN, [model, '--no-mcp', '-p', 'hi'], { cwd: dir, env });
  expect(stderr).toMatch(/^Error: .*model\.safetensors.*\bw\b/m);
  expect(code).toBe(65);
});

// Linux refuses new folders there by saying that /proc is missing.
test.runIf(process.platform === 'linux')('a state folder below /proc: told at once', async () => {
  const { dir, env } = workplace();
  const { code, stderr } = await runProgram(MAIN, ['demo', '-p', 'hi'], {
    cwd: dir,
    env: { ...env, XDG_STATE_HOME: '/proc/x' },
  });
  expect(stderr).toContain('Notice: no log is kept, /proc/x/llm-host/llm-host.log cannot be written');
  expect(stderr).toContain(
    "Error: The demo's files cannot be written to /proc/x/llm-host/demo-files: ENOENT",
  );
  expect(code).toBe(78);
});

test('init writes both files once and never again; they are ready to use', async () => {
  const { dir, env } = workplace();
  const run = (command: string) => runProgram(MAIN, [command], { cwd: dir, env });
  const first = await run('init');
  expect([first.code, first.stdout.match(/^Wrote /gm)?.length]).toEqual([0, 2]);
  for (const name of ['config', 'mcp']) {
    const [, schema = ''] =
      /"\$schema": "([^"]+)"/.exec(readFileSync(join(dir, `${name}.json`), 'utf8')) ?? [];
    expect(existsSync(fileURLToPath(schema))).toBe(true);
  }
  const { code, stdout, stderr } = await run('tools');
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain('calculator: ready, 6 tools\n  add(a=number, b=number) - Add two numbers.\n');
  expect(stdout).toContain('files: ready, 4 tools\n');
  writeFileSync(join(dir, 'config.json'), 'mine');
  const second = await run('init');
  expect([second.code, second.stdout.match(/left as it is/g)?.length]).toEqual([0, 2]);
  expect(readFileSync(join(dir, 'config.json'), 'utf8')).toBe('mine');
});

test('--version is the version of package.json', async () => {
  const { dir, env } = workplace();
  const { stdout } = await runProgram(MAIN, ['--version'], { cwd: dir, env });
  expect(stdout.trim()).toBe(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version);
});

test("a model's own config.json is passed over with a notice", async () => {
  const { dir, env } = workplace({ 'config.json': '{ "model_type": "llama", "hidden_size": 64 }' });
  const { code, stderr } = await runProgram(MAIN, ['demo', '--no-mcp'], { cwd: dir, env });
  expect(stderr).toContain(`Notice: ${join(dir, 'config.json')} has none of llm-host's keys: passed over\n`);
  expect(code).toBe(0);
});

test('without configuration: no such model, and what it may have been, exit 66', async () => {
  const { dir, env } = workplace();
  const { code, stderr } = await runProgram(MAIN, ['dmeo'], { cwd: dir, env });
  expect(stderr).toBe(
    `Error: Model 'dmeo' not found or not accessible\nNo such folder or file: ${join(dir, 'dmeo')}\nDid you mean 'demo'?\n` +
      'A model is a Hub id (org/name), an alias (granite4:1b), a folder, a .gguf file, or demo. `llm-host list` shows the downloaded ones.\n',
  );
  expect(code).toBe(66);
});

test('on a terminal a missing config.json can be written on the spot', async () => {
  const { dir, env } = workplace();
  const offer = 'Write config.json here from the example? yes or no [yes]:';
  const declined = new Terminal(MAIN, ['no-such/model', '--no-mcp'], dir, env, { cols: 200, rows: 30 });
  await declined.displays(offer);
  declined.type('no\r');
  await declined.displays('Error: config.json not found in application directory');
  expect([await declined.exits(), existsSync(join(dir, 'config.json'))]).toEqual([78, false]);
  const accepted = new Terminal(MAIN, ['no-such/model', '--no-mcp'], dir, env, { cols: 200, rows: 30 });
  await accepted.displays(offer);
  accepted.type('\r');
  await accepted.displays("Error: Model 'no-such/model' not found");
  expect([await accepted.exits(), existsSync(join(dir, 'config.json'))]).toEqual([66, true]);
});

test('--quiet: no line before the first prompt', async () => {
  const { dir, env } = workplace();
  const { stdout, stderr } = await runProgram(MAIN, ['demo', '--no-mcp', '--quiet', '--plain'], {
    cwd: dir,
    env,
  });
  expect([stdout, stderr]).toEqual(['prompt -> \n', '']);
});
