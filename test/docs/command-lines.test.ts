import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/commands/table.ts';
import { checkNumbers } from '../../src/cli/options/check-options.ts';
import type { Command, CommandContext } from '../../src/cli/options/command.ts';
import { commandLine } from '../../src/cli/options/command-line.ts';
import type { ChatArguments } from '../../src/cli/options/option-table.ts';
import { parseConfig } from '../../src/cli/settings/config-file.ts';
import { argumentsOf, codeBlocks, commandLines, ROOT } from './command-lines.ts';
import { TABLE } from './command-table.ts';

const LINES = commandLines();
const ours = LINES.map(({ text }) => text).filter(text => text.startsWith('llm-host '));

describe('the command lines of README.md and docs', () => {
  test('are all in the table, which has no other ones', () => {
    expect(LINES.filter(({ text }) => !(text in TABLE))).toEqual([]);
    const there = new Set(LINES.map(({ text }) => text));
    expect(Object.keys(TABLE).filter(text => !there.has(text))).toEqual([]);
  });

  test('are run by tests that are there', () => {
    for (const row of Object.values(TABLE)) {
      if ('runsIn' in row)
        expect(readFileSync(join(ROOT, row.runsIn), 'utf8')).toContain(`test('${row.test}`);
    }
  });

  test('are run as they stand there, if not by `npm run test:all` then by `npm run test:long`', () => {
    const rows = Object.entries(TABLE);
    expect(rows.filter(([, row]) => 'as' in row && !row.long)).toEqual([]);
  });

  test('name scripts of package.json', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const named = LINES.flatMap(({ text }) => /^npm (?:run )?(test|(?<=run )\S+)/.exec(text)?.[1] ?? []);
    expect(named.length).toBeGreaterThan(4);
    for (const name of named) expect(scripts).toHaveProperty(name);
  });

  test('name scripts whose imports are all there', () => {
    const named = LINES.flatMap(({ text }) => /^node ((?:scripts|lab|peers)\/\S+)/.exec(text)?.[1] ?? []);
    expect(named.length).toBeGreaterThan(8);
    const imports = [...new Set(named)].flatMap(importsOf);
    // Node itself finds each module and each name in it, before anything runs.
    execFileSync(process.execPath, ['--input-type=module', '-e', imports.join('\n')], { cwd: ROOT });
  });

  test.each([...new Set(ours)])('the program understands: %s', async line => {
    const args = argumentsOf(line);
    const { command, model } = await parsed(args);
    const first = args[0] ?? '';
    if (command !== 'chat') expect(command).toBe(first);
    // A misspelt command would be taken for the name of a model.
    else if (model !== undefined) expect(model).toMatch(/^demo$|[/.:]/);
  });
});

/** What the program's own parser makes of a line, without running it. */
async function parsed(args: readonly string[]): Promise<{ command: string; model?: string | undefined }> {
  let found: { command: string; model?: string | undefined } | undefined;
  const commands = COMMANDS.map((command): Command => {
    const name = command.usage.startsWith('$0') ? 'chat' : (command.usage.split(' ')[0] as string);
    const run = (args: object) => {
      const options: ChatArguments = args;
      if (name === 'chat' || name === 'serve') checkNumbers(options);
      found = { command: name, model: options.model };
      return 0;
    };
    return { ...command, run };
  });
  try {
    await commandLine(args, commands, {} as CommandContext);
  } catch (error) {
    // In running text a command is also called by its name alone.
    if (args.length !== 1 || !/^Not enough non-option arguments/.test(String((error as Error).message)))
      throw error;
    return { command: args[0] ?? '' };
  }
  if (found) return found;
  expect(args).toEqual(['--help']);
  return { command: 'chat' };
}

/** Import statements of a script with the modules it imports from, relative ones by their place. */
function importsOf(script: string): string[] {
  const file = pathToFileURL(join(ROOT, script));
  const tag = basename(script, '.mjs').replaceAll('-', '_');
  return [...readFileSync(file, 'utf8').matchAll(/^import ([^;]*?) from '([^'$]+)';/gm)].map(
    ([, names = '', from = ''], index) => {
      const place = from.startsWith('.') ? new URL(from, file).href : from;
      if (!names.startsWith('{'))
        return `import ${names.replace(/\w+$/, `${tag}_${index}`)} from '${place}';`;
      const list = names
        .replace(/[{}]/g, '')
        .split(',')
        .flatMap(name => name.trim().split(' as ')[0] || []);
      return `import { ${list.map((name, at) => `${name} as ${tag}_${index}_${at}`).join(', ')} } from '${place}';`;
    },
  );
}

describe('the examples of config.json', () => {
  const parts = ['json', 'jsonc'].flatMap(codeBlocks).flatMap(({ page, text }) => {
    if (/^\s*"\w+": /.test(text)) return [{ page, text: `{ "SystemPrompt": "", ${text} }` }];
    return text.includes('"SystemPrompt"') ? [{ page, text }] : [];
  });

  test.each(parts)('$page: $text', ({ text }) => {
    const { warnings } = parseConfig(text, '/p/config.json');
    expect(warnings).toEqual([]);
  });

  test('are found', () => expect(parts.length).toBeGreaterThan(2));
});
