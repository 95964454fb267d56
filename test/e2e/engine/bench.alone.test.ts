import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { benchPeers } from '../../fixtures/bench-peers.ts';
import { MAIN, Program, processesLeft, ROOT, runProgram, SCRIPTED_MAIN, workplace } from '../program.ts';

const MODEL = join(ROOT, 'test', 'fixtures', 'models', 'tiny-f32');
const SMALL = ['--prompt-tokens', '8,16', '--generate', '4', '--threads', '1'];

/** Milliseconds: several processes are started, one after another. */
const LIMIT_MS = 180_000;

describe('llm-host bench', { timeout: LIMIT_MS }, () => {
  test('measures in processes of its own and reports as JSON and HTML', async () => {
    const place = workplace();
    const options = { cwd: place.dir, env: place.env };
    const args = [
      'bench',
      MODEL,
      ...SMALL,
      '--runs',
      '2',
      '--turns',
      '12',
      '--graph',
      '--json',
      '--html',
      'report.html',
    ];
    const { code, stdout, stderr } = await runProgram(MAIN, args, options);
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('run 2 of 2') });
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({
      version: 1,
      model: { name: 'tiny-f32', family: 'llama' },
      settings: { promptTokens: [8, 16], generate: 4, runs: 2, threads: 1 },
      engines: [{ name: 'llm-host' }],
      ratios: [],
    });
    const names = report.engines[0].figures.map((figure: { metric: string; at?: number }) =>
      [figure.metric, figure.at].filter(part => part !== undefined).join(' '),
    );
    expect(names).toEqual([
      'promptTokensPerSecond 8',
      'promptTokensPerSecond 16',
      'generationTokensPerSecond 8',
      'generationTokensPerSecond 16',
      'firstTokenMs 8',
      'firstTokenMs 16',
      'startToFirstTokenMs 40',
      'loadMs',
      'peakBytes',
      'secondTurnFirstTokenMs 20',
      'primitives',
      'launches',
      'graphMicroseconds',
      'submitMicroseconds',
    ]);
    for (const { values } of report.engines[0].figures) {
      expect(values).toHaveLength(2);
      for (const value of values) expect(value).toBeGreaterThan(0);
    }
    const [small, large] = report.roofline.points;
    // The context is counted to the middle of what is generated.
    expect(large.kvBytes / small.kvBytes).toBeCloseTo(18 / 10);
    expect(readFileSync(join(place.dir, 'report.html'), 'utf8')).toContain('tiny-f32');
  });

  test('compares with a peer that is installed, in the same rounds', async () => {
    const place = workplace({ 'weights.gguf': '' });
    const options = {
      cwd: place.dir,
      env: { ...place.env, LLM_HOST_BENCH_PEERS: benchPeers(join(place.dir, 'peers')) },
    };
    const compare = ['--compare', 'llama.cpp', '--llama-cpp-model', 'weights.gguf'];
    const args = ['bench', MODEL, ...SMALL, '--runs', '1', ...compare];
    const { code, stdout } = await runProgram(MAIN, args, options);
    expect(code).toBe(0);
    expect(stdout).toMatch(/\nreading the prompt, 16 tokens\n {2}llm-host .+\n {2}llama\.cpp /);
    expect(stdout).toMatch(/peak memory, over llama\.cpp: \d/);
  });

  test('measures a server with several clients at once', async () => {
    const place = workplace();
    const args = [
      '--clients',
      '2,1',
      '--prompt-tokens',
      '8',
      '--generate',
      '4',
      '--runs',
      '1',
      '--threads',
      '1',
    ];
    const ended = await runProgram(MAIN, ['bench', 'demo', ...args, '--json', '--html', 'clients.html'], {
      cwd: place.dir,
      env: place.env,
    });
    expect(ended).toMatchObject({ code: 0, stderr: '1 client: llm-host\n2 clients: llm-host\n' });
    const report = JSON.parse(ended.stdout);
    expect(report).toMatchObject({
      version: 1,
      settings: { clients: [1, 2], promptTokens: 8, generate: 4, requests: 1, threads: 1 },
      servers: [{ name: 'llm-host' }],
    });
    for (const [index, point] of report.servers[0].points.entries()) {
      expect(point).toMatchObject({ clients: index + 1, requests: index + 1, failed: 0, generatedTokens: 4 });
      expect(Object.values(point.figures).every(value => Number(value) > 0)).toBe(true);
    }
    expect(readFileSync(join(place.dir, 'clients.html'), 'utf8')).toContain('<polyline');
    expect(await processesLeft(place.dir)).toEqual([]);
  });

  test('a signal ends it with every process that it started', async () => {
    const place = workplace();
    const program = new Program(MAIN, ['bench', MODEL, ...SMALL, '--runs', '1000'], {
      cwd: place.dir,
      env: { ...place.env, MARK: place.dir },
    });
    await new Promise<void>(resolve => {
      program.child.stderr.on('data', () => program.stderr.includes('run 1 of') && resolve());
    });
    program.child.kill('SIGTERM');
    expect(await program.ended).toMatchObject({ code: 143 });
    expect(await processesLeft(join(ROOT, 'dist', 'cli', 'bench', 'bench-process.js'))).toEqual([]);
  });

  const QUESTIONS = join(ROOT, 'test', 'fixtures', 'tool-questions');

  test('measures tool calls, keeps what was answered at Ctrl+C, and goes on from there', async () => {
    const call = (name: string, args: object) =>
      `<tool_call>${JSON.stringify({ name, arguments: args })}</tool_call>`;
    const place = workplace({
      'script.mjs': `import { appendFileSync } from 'node:fs';
        const replies = ${JSON.stringify([
          // Its first call lacks an argument, and is written again.
          ['The dentist', call('add_event', { title: 'Dentist' })],
          ['Error:', call('add_event', { title: 'Dentist', day: '2026-05-01' })],
          ['What is on?', call('list_events', {})],
          ['joke', 'No.'],
          ['Do something', Array.from({ length: 3000 }, (_, index) => index).join(' ')],
        ])};
        export const reply = prompt => {
          appendFileSync('asked', '.');
          const last = prompt.slice(prompt.lastIndexOf('<|im_start|>user') < prompt.lastIndexOf('Error:') ? prompt.lastIndexOf('Error:') : prompt.lastIndexOf('<|im_start|>user'));
          return replies.find(([mark]) => last.includes(mark))[1];
        };`,
    });
    const script = (msPerToken: number) =>
      writeFileSync(
        join(place.dir, 'script.json'),
        JSON.stringify({ module: join(place.dir, 'script.mjs'), msPerToken }),
      );
    const env = { ...place.env, LLM_HOST_SCRIPT: join(place.dir, 'script.json') };
    const options = { cwd: place.dir, env };
    const args = ['bench', MODEL, '--tools', QUESTIONS, '--mode', 'free,repair'];
    script(1);
    const cut = new Program(SCRIPTED_MAIN, args, options);
    await new Promise<void>(resolve => {
      cut.child.stderr.on('data', () => cut.stderr.includes('Asking: 3/4') && resolve());
    });
    cut.child.kill('SIGINT');
    expect(await cut.ended).toMatchObject({
      code: 130,
      stdout: '',
      stderr: expect.stringContaining('is kept: the same command'),
    });
    const asked = () => readFileSync(join(place.dir, 'asked'), 'utf8').length;
    expect(asked()).toBe(5);
    script(0);
    const whole = await runProgram(SCRIPTED_MAIN, [...args, '--json', '--html', 'tools.html'], options);
    expect(whole).toMatchObject({ code: 0, stderr: expect.stringContaining('Asking: 4/4') });
    expect(asked()).toBe(6);
    const report = JSON.parse(whole.stdout);
    expect(report).toMatchObject({
      version: 1,
      model: { name: 'tiny-f32' },
      benchmark: QUESTIONS,
      total: {
        cases: 4,
        modes: { free: { right: 2, asked: 4 }, repair: { right: 3, asked: 4, firstAttempt: 2 } },
      },
    });
    expect(readFileSync(join(place.dir, 'tools.html'), 'utf8')).toContain('<h2>with repair</h2>');
    const again = await runProgram(SCRIPTED_MAIN, [...args, '--categories', 'chat'], options);
    expect(again.stdout).toMatch(/^ {2}chat +2 +50 % \(9 to 91\) +50 % \(9 to 91\)$/m);
    expect(asked()).toBe(6);
    // The same model and questions count as answered wherever they lie.
    cpSync(MODEL, join(place.dir, 'moved-model'), { recursive: true });
    cpSync(QUESTIONS, join(place.dir, 'moved-questions'), { recursive: true });
    const moved = ['bench', './moved-model', '--tools', 'moved-questions', ...args.slice(4)];
    expect(await runProgram(SCRIPTED_MAIN, moved, options)).toMatchObject({ code: 0 });
    expect(asked()).toBe(6);
  });

  test('refuses what it cannot ask before the model is loaded', async () => {
    const { dir, env } = workplace();
    const ended = await runProgram(MAIN, ['bench', MODEL, '--tools', 'nowhere'], { cwd: dir, env });
    expect(ended).toMatchObject({
      code: 78,
      stderr: expect.stringContaining('docs/tool-benchmark.md'),
      stdout: '',
    });
    expect(ended.stderr).not.toContain('Loading');
  });
});
