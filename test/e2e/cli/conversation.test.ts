import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { manyWords } from '../../fixtures/many-words.ts';
import { Program, processesLeft, processesWith, ROOT, runProgram, SCRIPTED_MAIN } from '../program.ts';
import { CALCULATOR, calling, type Script, scripted } from '../scripted.ts';

const FIXTURES = join(ROOT, 'test', 'fixtures', 'mcp');

const fixture = (file: string, ...args: string[]) => ({
  command: process.execPath,
  args: [join(FIXTURES, file), ...args],
});
/** The shell stays between the program and the server, as `npx` does. */
const wrapped = (file: string, ...args: string[]) => ({
  command: 'sh',
  args: ['-c', `"$0" "$@"; true`, process.execPath, join(FIXTURES, file), ...args],
});

describe('servers that misbehave', () => {
  test('a command that does not exist and one that prints junk: the others go on', async () => {
    const place = scripted(
      { replies: [calling('add', { a: 2, b: 2 }), 'four'] },
      {
        calculator: CALCULATOR,
        gone: { command: 'no-such-command-here' },
        junk: { command: 'sh', args: ['-c', 'yes junk | head -c 100000; exit 3'] },
      },
    );
    const { stdout, stderr, code } = await runProgram(SCRIPTED_MAIN, ['x', '--plain'], {
      cwd: place.dir,
      env: place.env,
      stdin: '2+2\n',
    });
    expect(stderr).toMatch(/Server 'gone'.*no-such-command-here/);
    expect(stderr).toMatch(/Server 'junk'.*/);
    expect(stdout).toContain('Result: 4 (took');
    expect(code).toBe(0);
  });

  test('killed in mid-call: the turn goes on with the error', async () => {
    const mark = 'mark-killed-mid-call';
    const place = scripted(
      { replies: [calling('wait'), 'It broke.'] },
      { slow: fixture('polite.mjs', mark) },
    );
    const program = new Program(SCRIPTED_MAIN, ['x', '--plain'], { cwd: place.dir, env: place.env });
    await program.shows('Ready.');
    program.say('wait');
    await program.shows('Calling tool: wait(');
    const server = processesWith('polite.mjs').find(line => line.includes(mark));
    process.kill(Number(server?.split(' ')[0]), 'SIGKILL');
    await program.shows('assistant -> It broke.');
    expect(program.stdout).toMatch(/ERROR: .*slow.*SIGKILL/);
    program.say('bye');
    expect((await program.ended).code).toBe(0);
    expect(await processesLeft(mark)).toEqual([]);
  });

  test('too slow: the exact timeout line, then the turn goes on', async () => {
    const place = scripted(
      { replies: [calling('wait'), 'Too slow.'] },
      { slow: fixture('polite.mjs', 'mark-timeout') },
    );
    const { stdout, code } = await runProgram(SCRIPTED_MAIN, ['x', '--plain', '--tool-timeout', '0.5'], {
      cwd: place.dir,
      env: place.env,
      stdin: 'wait\n',
    });
    expect(stdout).toMatch(
      /ERROR: Tool 'wait' timed out after 0\.5s \(took 0\.\d\ds\)\nassistant -> Too slow\.\n/,
    );
    expect(code).toBe(0);
  });
});

describe('every way out leaves no process of a server', () => {
  const stubborn = (mark: string) => ({
    wrapped: wrapped('polite.mjs', mark),
    stubborn: wrapped('raw.mjs', 'stubborn', mark),
  });

  const start = async (mark: string, script: Script = { replies: [] }) => {
    const place = scripted(script, stubborn(mark));
    const program = new Program(SCRIPTED_MAIN, ['x', '--plain'], { cwd: place.dir, env: place.env });
    await program.shows('Ready.');
    // Both servers run behind their shells, or the checks below would prove nothing.
    expect(processesWith(mark).filter(line => line.includes('.mjs')).length).toBeGreaterThanOrEqual(4);
    return program;
  };

  test('quit: exit 0', async () => {
    const program = await start('mark-word');
    program.say('quit');
    expect(await program.ended).toMatchObject({ code: 0, signal: null });
    expect(await processesLeft('mark-word')).toEqual([]);
  });

  test('the end of the input: exit 0', async () => {
    const program = await start('mark-eof');
    program.child.stdin.end();
    expect(await program.ended).toMatchObject({ code: 0, signal: null });
    expect(await processesLeft('mark-eof')).toEqual([]);
  });

  test.each([
    ['SIGINT', 0],
    ['SIGHUP', 129],
  ] as const)('%s at the prompt: exit %i', async (signal, code) => {
    const mark = `mark-idle-${signal}`;
    const program = await start(mark);
    program.child.kill(signal);
    expect(await program.ended).toMatchObject({ code, signal: null });
    expect(await processesLeft(mark)).toEqual([]);
  });

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s while the model writes: exit %i', async (signal, code) => {
    const mark = `mark-busy-${signal}`;
    const program = await start(mark, { replies: [manyWords(10_000)], msPerToken: 5 });
    program.say('write');
    await program.shows('assistant -> word');
    program.child.kill(signal);
    expect(await program.ended).toMatchObject({ code, signal: null });
    expect(await processesLeft(mark)).toEqual([]);
  });

  test('SIGKILL of the program itself', async () => {
    const program = await start('mark-host-killed');
    program.child.kill('SIGKILL');
    expect(await program.ended).toMatchObject({ signal: 'SIGKILL' });
    expect(await processesLeft('mark-host-killed')).toEqual([]);
  });

  test('a reader that goes away', async () => {
    const program = await start('mark-epipe', { replies: [manyWords(10_000)], msPerToken: 1 });
    program.child.stdout.destroy();
    program.say('write');
    await program.ended;
    expect(await processesLeft('mark-epipe')).toEqual([]);
  });
});
