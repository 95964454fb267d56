import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runProgram, SCRIPTED_MAIN } from '../program.ts';
import { CALCULATOR, calling, scripted } from '../scripted.ts';

test("prompt, call, result and reply in their exact strings; a tool's error, an unknown tool and an unreadable call", async () => {
  const replies = [
    ...[calling('add', { a: 17, b: 25 }), 'It is 42.'],
    ...[calling('divide', { a: 1, b: 0 }), calling('divid', {}), '<tool_call>{"name": ', 'I gave up.'],
  ];
  const place = scripted({ replies }, { calculator: CALCULATOR });
  const metricsFile = join(place.dir, 'calls.jsonl');
  const config = { SystemPrompt: 'You are a helpful assistant.', tools: { metricsFile } };
  writeFileSync(join(place.dir, 'config.json'), JSON.stringify(config));
  // Piped, no bell is rung.
  const args = ['x', '--plain', '--notify', 'bell', '--notify-after', '0'];
  const { stdout, code } = await runProgram(SCRIPTED_MAIN, args, {
    cwd: place.dir,
    env: place.env,
    stdin: 'sum?\ngo\n/stats\nquit\n',
  });
  const shown = stdout.replaceAll(/\d\d:\d\d:\d\d/g, 'HH:MM:SS').replaceAll(/\d+\.\d\ds/g, 'X.XXs');
  expect(shown).toMatch(/\nprompt -> quit\n$/);
  expect(shown.slice(0, shown.indexOf('prompt -> go'))).toBe(
    "Ready. Type your prompt or 'quit' to exit.\n" +
      'prompt -> sum?\n' +
      '[HH:MM:SS] Calling tool: add(a=17, b=25) ...\n' +
      '[HH:MM:SS] Result: 42 (took X.XXs)\n' +
      'assistant -> It is 42.\n',
  );
  expect(stdout).toMatch(/ERROR: Division by zero is not allowed\. \(took/);
  expect(stdout).toMatch(/ERROR: There is no tool 'divid'\. Did you mean 'divide'\?/);
  expect(stdout).toMatch(/ERROR: The tool call could not be read: /);
  expect(stdout).toContain('assistant -> I gave up.\n');
  expect(stdout).toContain(
    'Tool calls: 3, 2 right at the first attempt (67 %), 0 after a retry, 1 given up, 1 retries\n' +
      'Errors: wrong_tool 1, malformed_json 1; repairs: none\n',
  );
  const attempts = readFileSync(metricsFile, 'utf8').trim().split('\n');
  expect(attempts.map(line => JSON.parse(line).label)).toEqual(['ok', 'ok', 'wrong_tool', 'malformed_json']);
  expect(code).toBe(0);
});

test('piped, without --plain: the answers alone on stdout, all else on stderr', async () => {
  const replies = [calling('add', { a: 1, b: 2 }), '3\nindeed', 'two'];
  const place = scripted({ replies }, { calculator: CALCULATOR });
  const { stdout, stderr, code } = await runProgram(SCRIPTED_MAIN, ['x'], {
    cwd: place.dir,
    env: place.env,
    stdin: Buffer.concat([
      Buffer.from('sum?\n\ntools\nb'),
      Buffer.from([0xff]),
      Buffer.from('\n/stats\nquit\n'),
    ]),
  });
  expect([stdout, code]).toEqual(['3\nindeed\ntwo\n', 0]);
  for (const shown of [
    "Ready. Type your prompt or 'quit' to exit.\nprompt -> sum?\n",
    'Calling tool: add(a=1, b=2) ...',
    'Result: 3 (took',
    'add (calculator): Add two numbers.',
    'Error: Line 4 of the input is not valid UTF-8',
    'Tool calls: 1,',
  ]) {
    expect(stderr).toContain(shown);
  }
  expect(stderr).not.toMatch(/assistant|indeed/);
});

test('-p: the answer alone on stdout, tool lines on stderr, piped text behind the prompt', async () => {
  const place = scripted(
    { replies: [calling('add', { a: 1, b: 2 }), '3\nindeed'] },
    { calculator: CALCULATOR },
  );
  const ended = await runProgram(SCRIPTED_MAIN, ['x', '-p', 'sum'], {
    cwd: place.dir,
    env: place.env,
    stdin: '1\n2\n',
  });
  expect(ended.stdout).toBe('3\nindeed\n');
  expect(ended.stderr).toContain('Calling tool: add(a=1, b=2) ...');
  expect(ended.code).toBe(0);
});
