import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { MAIN, ROOT, runProgram, workplace } from '../program.ts';
import { Terminal } from '../pty.ts';

const CONFIG = '{ "SystemPrompt": "You are a helpful assistant." }';
const NO_SERVERS = '{ "servers": {} }';

test('no model: the usage line, the error, exit 2', async () => {
  const { dir, env } = workplace();
  const { code, stderr, stdout } = await runProgram(MAIN, [], { cwd: dir, env });
  expect(stderr).toMatch(/^Usage: llm-host <model> .*\nError: missing model\n$/);
  expect([code, stdout]).toEqual([2, '']);
});

test.each([
  [['demo', '--temperature'], '--temperature needs a value'],
  [['demo', 'What', 'is', 'this?'], "'What' is unexpected; give a prompt with -p, in quotes"],
  [['list', 'extra'], "'extra' is unexpected"],
  [['pull'], "'llm-host pull' needs an argument: see llm-host pull --help"],
])('%j is an error of usage', async (args, message) => {
  const { dir, env } = workplace();
  const { code, stderr } = await runProgram(MAIN, args, { cwd: dir, env });
  expect(stderr).toContain(`Error: ${message}`);
  expect(code).toBe(2);
});

test('an unknown option names the nearest known one', async () => {
  const { dir, env } = workplace();
  const { code, stderr } = await runProgram(MAIN, ['demo', '--temprature', '1'], { cwd: dir, env });
  expect(stderr).toContain('Error: unknown option --temprature; did you mean --temperature?');
  expect(code).toBe(2);
});

test('an option outside its range is refused before anything is loaded', async () => {
  const { dir, env } = workplace();
  const { code, stderr } = await runProgram(MAIN, ['demo', '--top-p', '7'], { cwd: dir, env });
  expect(stderr).toContain('Error: --top-p must be a number above 0 and at most 1, got 7');
  expect(code).toBe(2);
});

test.each(['config.json', 'mcp.json'])('%s missing: the places searched and the fix, exit 78', async name => {
  const { dir, env } = workplace({ 'config.json': CONFIG, 'mcp.json': NO_SERVERS });
  const cwd = join(dir, 'elsewhere');
  mkdirSync(cwd);
  const other =
    name === 'config.json' ? ['--mcp', join(dir, 'mcp.json')] : ['--config', join(dir, 'config.json')];
  const { code, stderr } = await runProgram(MAIN, ['some/model', ...other], { cwd, env });
  expect(stderr).toContain(`Error: ${name} not found in application directory\n`);
  expect(stderr).toContain(join(cwd, name));
  expect(stderr).toContain(join(dir, 'home', '.config', 'llm-host', name));
  expect(stderr).toContain('llm-host init');
  expect(code).toBe(78);
});

test.each([
  ['config.json', '{ "SystemPrompt": ', 'Error: Invalid JSON in config.json: '],
  ['config.json', '{}', "Error: config.json: the field 'SystemPrompt' is missing"],
  ['mcp.json', '{ "servers": { "a": ', 'Error: Invalid JSON in mcp.json: '],
])('a broken %s (%s): exit 78', async (name, text, message) => {
  const { dir, env } = workplace({ 'config.json': CONFIG, 'mcp.json': NO_SERVERS, [name]: text });
  const { code, stderr } = await runProgram(MAIN, ['demo'], { cwd: dir, env });
  expect(stderr).toContain(message);
  if (message.includes('Invalid JSON')) expect(stderr).toMatch(/at \d+:\d+/);
  expect(code).toBe(78);
});

test('a model that is nowhere: its name and the reason, exit 66', async () => {
  const { dir, env } = workplace({ 'config.json': CONFIG, 'mcp.json': NO_SERVERS });
  const { code, stderr } = await runProgram(MAIN, ['no-such/model'], { cwd: dir, env });
  expect(stderr).toMatch(/Error: Model 'no-such\/model' not found or not accessible\n./);
  expect(code).toBe(66);
});

test('a truncated safetensors file: file and tensor named, exit 65', async () => {
  const { dir, env } = workplace({ 'config.json': CONFIG, 'mcp.json': NO_SERVERS });
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
  const { code, stderr } = await runProgram(MAIN, [model], { cwd: dir, env });
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

test('init writes both files once and never again', async () => {
  const { dir, env } = workplace();
  const first = await runProgram(MAIN, ['init'], { cwd: dir, env });
  expect([first.code, first.stdout.match(/^Wrote /gm)?.length]).toEqual([0, 2]);
  for (const name of ['config', 'mcp']) {
    const [, schema = ''] =
      /"\$schema": "([^"]+)"/.exec(readFileSync(join(dir, `${name}.json`), 'utf8')) ?? [];
    expect(existsSync(fileURLToPath(schema))).toBe(true);
  }
  writeFileSync(join(dir, 'config.json'), 'mine');
  const second = await runProgram(MAIN, ['init'], { cwd: dir, env });
  expect([second.code, second.stdout.match(/left as it is/g)?.length]).toEqual([0, 2]);
  expect(readFileSync(join(dir, 'config.json'), 'utf8')).toBe('mine');
});

test('the example files are ready to use', async () => {
  const { dir, env } = workplace();
  await runProgram(MAIN, ['init'], { cwd: dir, env });
  const { code, stdout, stderr } = await runProgram(MAIN, ['tools'], { cwd: dir, env });
  expect(stderr).toBe('');
  expect(stdout).toContain('calculator: ready, 6 tools\n  add(a=number, b=number) - Add two numbers.\n');
  expect(stdout).toContain('files: ready, 4 tools\n');
  expect(code).toBe(0);
});

test('--version is the version of package.json', async () => {
  const { dir, env } = workplace();
  const { stdout } = await runProgram(MAIN, ['--version'], { cwd: dir, env });
  expect(stdout.trim()).toBe(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version);
});

test('--no-mcp needs no mcp.json', async () => {
  const { dir, env } = workplace({ 'config.json': CONFIG });
  const { code, stderr } = await runProgram(MAIN, ['no-such/model', '--no-mcp'], { cwd: dir, env });
  expect(stderr).toContain("Error: Model 'no-such/model' not found");
  expect(code).toBe(66);
});

const FOREIGN = '{ "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64 }';

test("a model's own config.json is passed over with a notice, and the search goes on", async () => {
  const { dir, env } = workplace({ 'config.json': FOREIGN });
  const folder = join(dir, 'home', '.config', 'llm-host');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'config.json'), '{ "SystemPrompt": "x", "model": "no-such/model" }');
  const { code, stderr } = await runProgram(MAIN, ['--no-mcp'], { cwd: dir, env });
  expect([code, stderr]).toEqual([66, expect.stringContaining("Model 'no-such/model' not found")]);
  const demo = await runProgram(MAIN, ['demo', '--no-mcp'], { cwd: dir, env });
  expect(demo.stderr).toContain(
    `Notice: ${join(dir, 'config.json')} has none of llm-host's keys: passed over\n`,
  );
  expect(demo.code).toBe(0);
});

test('only config.json files of others: the error names them', async () => {
  const { dir, env } = workplace({ 'config.json': FOREIGN });
  const { code, stderr } = await runProgram(MAIN, ['some/model', '--no-mcp'], { cwd: dir, env });
  expect(stderr).toContain('Error: config.json not found in application directory\n');
  expect(stderr).toContain(`  ${join(dir, 'config.json')} (has none of llm-host's keys)\n`);
  expect(code).toBe(78);
});

test.each([
  ['--system', 'Be brief.'],
  ['-p', 'Hello'],
])('%s needs no config.json', async (...option) => {
  const { dir, env } = workplace();
  const { code, stderr } = await runProgram(MAIN, ['no-such/model', '--no-mcp', ...option], {
    cwd: dir,
    env,
  });
  expect([code, stderr]).toEqual([66, expect.stringContaining("Model 'no-such/model' not found")]);
});

test.each([
  [['demo', '--temperature', 'hot'], '--temperature must be a number from 0 to 5, got "hot"'],
  [['demo', '--top-k=x'], '--top-k must be an integer from 0 to 2147483647, got "x"'],
  [['demo', '--context', '1e99'], '--context must be an integer from 1 to 10000000, got 1e+99'],
  [
    ['demo', '--tool-timeout', 'soon'],
    "--tool-timeout must be a number above 0 and at most 86400, got 'soon'",
  ],
  [['serve', 'demo', '--port', 'http'], "--port must be an integer from 0 to 65535, got 'http'"],
  [['bench', 'demo', '--runs', 'many'], "--runs must be an integer from 1 to 1000000, got 'many'"],
  [
    ['bench', 'demo', '--prompt-tokens', '1,b'],
    "--prompt-tokens must be an integer from 1 to 1000000, got 'b'",
  ],
  [['inspect', 'demo', '--context', 'all'], "--context must be an integer from 1 to 10000000, got 'all'"],
])('%j: what is wrong, and the range', async (args, message) => {
  const { dir, env } = workplace();
  const { code, stderr } = await runProgram(MAIN, args, { cwd: dir, env });
  expect([code, stderr]).toEqual([2, expect.stringContaining(`Error: ${message}\n`)]);
});

test.each([
  ['dmeo', "Did you mean 'demo'?\n"],
  ['tols', "Did you mean 'tools'?\n"],
  ['gemma3', "Did you mean 'gemma3:4b'? There are also gemma3:12b, gemma3:27b.\n"],
  ['mixtral', ''],
])('%s, without configuration: no such model, and what it may have been', async (word, guess) => {
  const { dir, env } = workplace();
  const { code, stderr } = await runProgram(MAIN, [word], { cwd: dir, env });
  expect(stderr).toBe(
    `Error: Model '${word}' not found or not accessible\nNo such folder or file: ${join(dir, word)}\n${guess}` +
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
