import { spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MAIN, runProgram, workplace } from '../../e2e/program.ts';

/** Runs shell text where `llm-host` is in the PATH. */
function inShell(shell: string, args: readonly string[], text: string): string[] {
  const { dir, env } = workplace();
  const own = join(dir, 'llm-host');
  writeFileSync(own, `#!/bin/sh\nexec "${process.execPath}" "${MAIN}" "$@"\n`);
  chmodSync(own, 0o755);
  const options = { cwd: dir, env: { ...env, PATH: `${dir}:${env.PATH}` }, encoding: 'utf8' } as const;
  const { stdout, stderr } = spawnSync(shell, [...args, '-c', text], options);
  expect(stderr).toBe('');
  return stdout.trim().split('\n');
}

const isThere = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0;

test.skipIf(!isThere('bash'))('bash completes commands, options and choices (needs bash)', () => {
  const text = `eval "$(llm-host completion bash)"
    try() { COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 )); _llm_host; echo "\${COMPREPLY[*]}"; }
    try llm-host pu; try llm-host pull --re; try llm-host server c; try llm-host --thi; try llm-host demo --temp
    for line in dem '--seed 1 dem' 'serve dem' 'inspect dem' 'bench dem' 'serve --port 0 dem' 'pull dem' 'org/name dem'
    do try llm-host $line; done; try llm-host demo --mod; try llm-host org/name --temp; echo end`;
  const wanted = ['pull', '--revision', 'calculator', '--think', '--temperature'];
  wanted.push(...Array(6).fill('demo'), '', '', '--model', '--temperature', 'end');
  expect(inShell('bash', ['--norc'], text)).toEqual(wanted);
});

test.skipIf(!isThere('bash'))(
  'bash completes what it splits at colons, with and without them in COMP_WORDBREAKS (needs bash)',
  () => {
    const text = `eval "$(llm-host completion bash)"
    try() { COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 )); _llm_host; echo "\${COMPREPLY[*]}"; }
    COMP_WORDBREAKS=' :'
    try llm-host grani; try llm-host granite4 : 1; try llm-host granite4 :; try llm-host granite4 : 1b --temp; try llm-host serve granite3.3 : ''
    try llm-host -m a : b : --temp; COMP_WORDBREAKS=' '; try llm-host granite4:1; echo end`;
    expect(inShell('bash', ['--norc'], text)).toEqual([
      'granite4:1b granite3.3:8b',
      '1b',
      '1b',
      '--temperature',
      '8b',
      '',
      'granite4:1b',
      'end',
    ]);
  },
);

test.skipIf(!isThere('fish'))('fish completes commands and options (needs fish)', () => {
  const text = `llm-host completion fish | source; complete -C 'llm-host pu'; complete -C 'llm-host pull --re'; complete -C 'llm-host demo --temp'; complete -C 'llm-host dem'; complete -C 'llm-host serve dem'`;
  expect(inShell('fish', ['--no-config'], text)).toEqual([
    'pull',
    '--revision',
    '--temperature',
    'demo',
    'demo',
  ]);
});

test.skipIf(!isThere('zsh'))('zsh is given names and descriptions (needs zsh)', () => {
  const text = `compdef() { :; }; _describe() { print -l -- $found; }; source <(llm-host completion zsh)
    words=(llm-host de); CURRENT=2; _llm_host`;
  const lines = inShell('zsh', ['-f'], text);
  expect(lines).toContain('list:list the models in the cache, with their sizes');
  expect(lines).toContain('demo');
  expect(lines.some(line => line.startsWith('$0'))).toBe(false);
});

test('the shell of $SHELL; another one is refused', async () => {
  const { dir, env } = workplace();
  const run = (SHELL: string) => runProgram(MAIN, ['completion'], { cwd: dir, env: { ...env, SHELL } });
  expect((await run('/usr/bin/fish')).stdout).toContain('complete -c llm-host');
  expect(await run('/bin/tcsh')).toMatchObject({ code: 2, stdout: '' });
});
