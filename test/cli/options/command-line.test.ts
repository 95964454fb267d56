import { describe, expect, test } from 'vitest';
import yargs from 'yargs';
import { COMMANDS } from '../../../src/cli/commands/table.ts';
import type { CommandContext } from '../../../src/cli/options/command.ts';
import { commandLine } from '../../../src/cli/options/command-line.ts';

/** The words that call a command, and its options that are true or false. */
const FLAGS = COMMANDS.flatMap(command => {
  const [word = '', ...positionals] = command.usage.split(' ');
  const words = [...(word === '$0' ? [] : [word]), ...positionals.filter(name => name.startsWith('<'))];
  const parser = yargs([]);
  command.options(parser, y => y.positional('model', { type: 'string' }) as never);
  const { boolean } = (parser as unknown as { getOptions(): { boolean: string[] } }).getOptions();
  return [...new Set([...boolean, 'help', 'version'])].map(flag => ({ words, flag }));
});

const CONTEXT = {} as CommandContext;

describe('an unknown option', () => {
  test.each([
    ['--temprature=1', 'unknown option --temprature; did you mean --temperature?'],
    ['--no-mpc', 'unknown option --no-mpc; did you mean --no-mcp?'],
    ['--mpc=x', 'unknown option --mpc; did you mean --mcp?'],
    ['--xyzzy-plugh', 'unknown option --xyzzy-plugh'],
  ])('%s: %s', async (word, message) => {
    await expect(commandLine(['demo', word], COMMANDS, CONTEXT)).rejects.toMatchObject({
      code: 'USAGE',
      message,
    });
  });
});

describe('words after --', () => {
  test.each([
    [['--', 'demo'], 'demo'],
    [['--no-mcp', '--', 'demo'], 'demo'],
    [['demo', '--'], 'demo'],
  ])('%j is the model', async (words, model) => {
    let given: object = {};
    const chat = {
      ...(COMMANDS[0] as (typeof COMMANDS)[number]),
      run: (args: object) => {
        given = args;
        return 0;
      },
    };
    await commandLine(words, [chat], CONTEXT);
    expect(given).toMatchObject({ model });
  });

  test.each([
    [['demo', '--', 'hello'], "'hello' is unexpected; give a prompt with -p, in quotes"],
    [['demo', '--', '--quiet'], "'--quiet' after -- is no option and cannot be a model"],
    [['--', '-model'], "'-model' after -- is no option and cannot be a model"],
  ])('%j: an error, not silence', async (words, message) => {
    await expect(commandLine(words, COMMANDS, CONTEXT)).rejects.toMatchObject({ code: 'USAGE', message });
  });
});

describe('options that are true or false', () => {
  test('are found', () => {
    const names = FLAGS.map(({ flag }) => flag);
    expect(names).toEqual(expect.arrayContaining(['reproducible', 'think', 'json', 'graph', 'quiet']));
  });

  test.each(FLAGS)('$words --$flag: refuses any other value', async ({ words, flag }) => {
    const camel = flag.replaceAll(/-./g, pair => pair.slice(1).toUpperCase());
    for (const name of new Set([flag, camel])) {
      for (const value of ['hot', '', 'TRUE', '1', 'yes']) {
        await expect(commandLine([...words, `--${name}=${value}`], COMMANDS, CONTEXT)).rejects.toMatchObject({
          code: 'USAGE',
          message: `--${name} must be true or false, got '${value}'`,
        });
      }
    }
  });

  test.each([
    [['--reproducible=true', '--think=false'], { reproducible: true, think: false }],
    [['--reproducible', '--no-think'], { reproducible: true, think: false }],
    [['--think', 'false'], { think: false }],
    [['--quiet', '--'], { quiet: true }],
  ])('%j is taken', async (words, expected) => {
    let given: object = {};
    const [chat, ...others] = COMMANDS;
    const run = (args: object) => {
      given = args;
      return 0;
    };
    expect(await commandLine(['demo', ...words], [{ ...chat, run } as never, ...others], CONTEXT)).toBe(0);
    expect(given).toMatchObject(expected);
  });
});
