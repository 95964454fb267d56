import { describe, expect, test } from 'vitest';
import { type Runner, runProcess } from '../../src/bench/run-process.ts';
import type { RunSpec } from '../../src/bench/run-protocol.ts';

const SPEC: RunSpec = { model: 'm', load: {}, contextLength: 8, prompts: [[1, 2]], generate: 1 };

/** A process that runs this JavaScript, in which `spec` is its task and `say` answers. */
function runner(script: string, name = 'peer'): Runner {
  const prelude = `
    const say = line => console.log(JSON.stringify(line));
    const lines = require('node:readline').createInterface({ input: process.stdin });
    lines.on('close', () => process.exit(0));
    lines.once('line', line => { const spec = JSON.parse(line); ${script} });`;
  return { name, command: process.execPath, args: ['-e', prelude], env: { GIVEN: 'yes' } };
}

function run(script: string, signal = new AbortController().signal, name?: string) {
  return runProcess(runner(script, name), SPEC, signal);
}

describe('a process that is measured', () => {
  test('gets its task, answers between other output, and ends with its stdin', async () => {
    const { result, startToFirstTokenMs } = await run(`
      console.log('a warning of some library');
      say({ type: 'first' });
      say({ type: 'result', version: process.env.GIVEN, device: spec.model, loadMs: 1, prompts: [], peakBytes: 2 });`);
    expect(result).toMatchObject({ version: 'yes', device: 'm', peakBytes: 2 });
    expect(startToFirstTokenMs).toBeGreaterThan(0);
  });

  test('tells of its error', async () => {
    const failing = `say({ type: 'error', code: 'MODEL_BROKEN', message: 'bad file', hint: 'Get another.' });`;
    await expect(run(failing)).rejects.toMatchObject({ code: 'MODEL_BROKEN', message: 'peer: bad file' });
    await expect(run(failing, undefined, 'llm-host')).rejects.toMatchObject({
      message: 'bad file',
      hint: 'Get another.',
    });
  });

  test('that dies is an error with the end of its stderr', async () => {
    await expect(run(`console.error('no such symbol'); process.exit(3);`)).rejects.toMatchObject({
      code: 'ENGINE',
      message: 'the run of peer exited with 3 without a result:\nno such symbol',
    });
    await expect(run(`process.kill(process.pid, 'SIGKILL');`)).rejects.toThrow('was ended by SIGKILL');
    await expect(run(`say({ type: 'first' }); process.exit(0);`)).rejects.toThrow('without a result');
  });

  test('that cannot be started is one too', async () => {
    const nothing = { ...runner(''), command: '/nowhere/python' };
    await expect(runProcess(nothing, SPEC, new AbortController().signal)).rejects.toThrow('ENOENT');
  });

  test('is killed when the bench is ended', async () => {
    const stop = new AbortController();
    const hanging = run('setInterval(() => {}, 1000); process.stdin.removeAllListeners();', stop.signal);
    setTimeout(() => stop.abort(), 100);
    await expect(hanging).rejects.toMatchObject({ name: 'AbortError' });
  });
});
