import { describe, expect, test } from 'vitest';
import yargs from 'yargs';
import { COMMANDS } from '../../../src/cli/commands/table.ts';
import type { CommandContext } from '../../../src/cli/options/command.ts';
import { commandLine } from '../../../src/cli/options/command-line.ts';

interface Declared {
  readonly boolean: readonly string[];
  readonly array: readonly string[];
  readonly key: Readonly<Record<string, unknown>>;
}

/** The words that call each command, and what it declares. */
const CALLS = COMMANDS.map(command => {
  const [word = '', ...positionals] = command.usage.split(' ');
  const required = positionals.filter(name => name.startsWith('<'));
  const words = [
    ...(word === '$0' ? [] : [word]),
    ...required.map(() => (word === 'server' ? 'files' : 'org/x')),
  ];
  const parser = yargs([]);
  command.options(parser, y => y.positional('model', { type: 'string' }) as never);
  const { boolean, array, key } = (parser as unknown as { getOptions(): Declared }).getOptions();
  const names = positionals.map(name => name.slice(1, -1));
  const valued = Object.keys(key).filter(name => !boolean.includes(name) && !names.includes(name));
  return { words, boolean, array, valued };
});

/** The options that are true or false. */
const FLAGS = CALLS.flatMap(({ words, boolean }) =>
  [...new Set([...boolean, 'help', 'version'])].map(flag => ({ words, flag })),
);

/** The others, short names too. */
const VALUED = CALLS.flatMap(({ words, valued, array }) =>
  valued.map(name => ({
    words,
    name,
    dashed: `${name.length > 1 ? '--' : '-'}${name}`,
    isList: array.includes(name),
  })),
);

const CONTEXT = { signals: { watch: () => undefined } } as unknown as CommandContext;

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

test.each([
  [['demo', '--temperature'], '--temperature needs a value'],
  [['pull'], "'llm-host pull' needs an argument: see llm-host pull --help"],
  [['list', 'extra'], "'extra' is unexpected"],
  [['demo', '--temperature', 'hot'], '--temperature must be a number from 0 to 5, got "hot"'],
  [['demo', '--top-p', '7'], '--top-p must be a number above 0 and at most 1, got 7'],
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
  [['demo', '--disk-cache-mb', '-1'], '--disk-cache-mb must be '],
  [['demo', '--disk-cache-mb', 'x'], '--disk-cache-mb must be '],
  [['demo', '--disk-cache-mb', '1e9'], '--disk-cache-mb must be '],
  [
    ['demo', '--connect', 'http://127.0.0.1:9', '--draft-model', 'demo'],
    '--draft-model cannot be combined with --connect',
  ],
])('%j: what is wrong, and the range', async (words, message) => {
  await expect(commandLine(words, COMMANDS, CONTEXT)).rejects.toMatchObject({
    code: 'USAGE',
    message: expect.stringContaining(message),
  });
});

/** The options with which a command would run. */
async function taken(words: readonly string[]): Promise<object> {
  let given: object = {};
  const run = (args: object) => {
    given = args;
    return 0;
  };
  const commands = COMMANDS.map(command => ({ ...command, run }));
  expect(await commandLine(words, commands, CONTEXT)).toBe(0);
  return given;
}

describe('words after serve are its models', () => {
  test.each([
    [[], { model: undefined, models: undefined }],
    [['a'], { model: 'a', models: [] }],
    [['a', 'b', '12'], { model: 'a', models: ['b', '12'] }],
    [['--', 'a', 'b'], { model: 'a', models: ['b'] }],
    [['a', 'b', '--models', 'c', '--port', '0'], { model: 'a', models: ['c', 'b'] }],
    [['a', '--models', 'b', '--models', 'c'], { model: 'a', models: ['b', 'c'] }],
    [['--model', 'a', '--models', 'b'], { model: 'a', models: ['b'] }],
  ])('%j', async (words, expected) => {
    const { model, models } = (await taken(['serve', ...words])) as Record<string, unknown>;
    expect({ model, models }).toEqual(expected);
  });
});

describe('a word too many', () => {
  test.each([
    [['demo', 'hello'], "'hello' is unexpected; give a prompt with -p, in quotes"],
    [['inspect', 'demo', 'other'], "'other' is unexpected"],
    [['bench', 'demo', 'other'], "'other' is unexpected"],
    [['doctor', 'demo'], "'demo' is unexpected"],
  ])('%j: %s', async (words, message) => {
    await expect(commandLine(words, COMMANDS, CONTEXT)).rejects.toMatchObject({ code: 'USAGE', message });
  });
});

describe('words after --', () => {
  test.each([
    [['--', 'demo'], 'demo'],
    [['--no-mcp', '--', 'demo'], 'demo'],
    [['demo', '--'], 'demo'],
  ])('%j is the model', async (words, model) => {
    expect(await taken(words)).toMatchObject({ model });
  });

  test.each([
    [['demo', '--', 'hello'], "'hello' is unexpected; give a prompt with -p, in quotes"],
    [['demo', '--', '--quiet'], "'--quiet' after -- is not an option and cannot be a model"],
    [['--', '-model'], "'-model' after -- is not an option and cannot be a model"],
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
    expect(await taken(['demo', ...words])).toMatchObject(expected);
  });
});

describe('options with a value', () => {
  const refused = async (words: readonly string[], message: string) =>
    await expect(commandLine(words, COMMANDS, CONTEXT)).rejects.toMatchObject({ code: 'USAGE', message });

  test('are found', () => {
    const names = VALUED.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['p', 'prompt', 'config', 'temperature', 'login', 'root', 'html']),
    );
  });

  test.each(VALUED)(
    '$words $dashed: not switched off, empty or without its value',
    async ({ words, name, dashed }) => {
      const main = { p: 'prompt', m: 'model', ctx: 'context' }[name] ?? name;
      const off = `--no-${name}`;
      if (main !== 'mcp' || words.includes('tools'))
        await refused(
          [...words, off],
          `${off}: --${main} takes a value and cannot be switched off; leave it out`,
        );
      const mayStandAlone = main === 'resume' || (main === 'tools' && words.includes('bench'));
      if (!mayStandAlone) await refused([...words, dashed], `${dashed} needs a value`);
      if (['system', 'prompt', 'resume'].includes(main)) return;
      const empty = `${dashed} is empty, and needs a value`;
      await refused([...words, dashed, ''], empty);
      await refused([...words, `${dashed}=`], empty);
    },
  );

  test.each(VALUED.filter(({ isList }) => !isList))(
    '$words $dashed: not twice',
    async ({ words, name, dashed }) => {
      const main = { p: 'prompt', m: 'model', ctx: 'context' }[name] ?? name;
      await refused([...words, dashed, '1', `--${main}=1`], `--${main} was given twice`);
    },
  );

  test.each([
    [
      ['--no-saveQuantized'],
      '--no-saveQuantized: --save-quantized takes a value and cannot be switched off; leave it out',
    ],
    [['--saveQuantized', 'a', '--save-quantized', 'b'], '--save-quantized was given twice'],
    [['-p', 'x', '--prompt', 'y'], '--prompt was given twice'],
    [['-p='], '-p is empty, and needs a value'],
    [['-m', 'other'], "give one model, not 'demo' and 'other'"],
    [['--model', 'other'], "give one model, not 'demo' and 'other'"],
    [['--system.x', 'y'], 'unknown option --system.x; did you mean --system?'],
  ])('demo %j: %s', async (words, message) => {
    await refused(['demo', ...words], message);
  });

  test.each([
    [['--model', 'demo'], { model: 'demo' }],
    [['--no-mcp'], { mcp: false }],
    [['--mcp', 'a', '--mcp=b', '--no-think'], { mcp: ['a', 'b'], think: false }],
    [['--system', '', '-p', ''], { system: '', prompt: '' }],
    [['-p', 'no-config', '--seed=-1', '--stop', 'x y'], { prompt: 'no-config', seed: -1, stop: ['x y'] }],
    [['--resume', '', '--quiet', '--quiet'], { resume: '', quiet: true }],
  ])('%j is taken', async (words, expected) => {
    expect(await taken(['demo', ...words])).toMatchObject(expected);
  });
});
