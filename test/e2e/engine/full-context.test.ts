import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runProgram, SCRIPTED_MAIN, workplace } from '../program.ts';

/** A model that summarizes when asked to, and says yes to everything else; one token for each character. */
function place() {
  const { dir, env } = workplace({
    'config.json': JSON.stringify({ SystemPrompt: 'Be brief.' }),
    'mcp.json': '{ "servers": {} }',
    'reply.mjs':
      "export const reply = prompt => (prompt.includes('a short summary of our conversation') ? 'They spoke of rooms.' : 'Yes.');\n",
  });
  const script = join(dir, 'script.json');
  const run = (args: string[], stdin: string) =>
    runProgram(SCRIPTED_MAIN, ['x', ...args], { cwd: dir, env: { ...env, LLM_HOST_SCRIPT: script }, stdin });
  const module = join(dir, 'reply.mjs');
  writeFileSync(script, JSON.stringify({ replies: [], module, contextLength: 3000 }));
  return { dir, run };
}

const prompts = Array.from({ length: 9 }, (_, at) => `Room ${100 + at} is ${'very '.repeat(60)}large.`);

describe('a conversation that outgrows the context', () => {
  test('line mode, --save, --resume and --json: summarized, told, whole in the file, taken back', async () => {
    const { dir, run } = place();
    const file = join(dir, 'talk.json');
    const lines = `${prompts.join('\n')}\n/context\n`;
    const { stdout, code } = await run(['--plain', '--save', file], lines);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /Notice: The next turn would not fit the context of 3000 tokens: the model summarizes/,
    );
    expect(stdout).toMatch(/Notice: \d turns became a summary: \d+ tokens are \d+ now\./);
    expect(stdout.match(/assistant -> Yes\./g)).toHaveLength(9);
    // The tool is `recall`, by which the model finds what was said before.
    expect(stdout).toMatch(
      /Context: \d+ of 3000 tokens\n {2}system prompt +\d+\n {2}tools' definitions +\d+\n {2}summary +\d+\n/,
    );
    const saved = JSON.parse(readFileSync(file, 'utf8'));
    const said = [...saved.summarized, ...saved.messages].map(message => message.content);
    for (const prompt of prompts) expect(said.filter(text => text === prompt)).toHaveLength(1);
    expect(saved.messages[1].content).toMatch(/^Summary of our conversation so far:\nThey spoke of rooms\./);

    const asked = `{"type":"prompt","text":"${'So? '.repeat(200)}"}\n`;
    const again = await run(['--json', '--resume', file], `${asked}/undo\n/undo\n`);
    expect(again.stdout).toMatch(/continuing the conversation of 9 turns, the oldest \d as a summary from/);
    const events = again.stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line));
    const compaction = events.find(({ type }) => type === 'compaction');
    expect(compaction).toMatchObject({
      turns: expect.any(Number),
      summary: expect.stringContaining('- Room 100'),
    });
    expect(compaction.tokensAfter).toBeLessThan(compaction.tokensBefore);
    const notices = events.flatMap(({ type, message }) => (type === 'notice' ? [message] : []));
    expect(notices.slice(-2)).toEqual([
      'The last turn was taken back.',
      'The summary was taken back; every turn is there again.',
    ]);
    expect(events.at(-1)).toMatchObject({ type: 'end', code: 0 });
  });

  test('-p tells it on stderr; "overflow": "trim" and "stop" summarize nothing', async () => {
    const long = prompts.slice(0, 5).join(' ');
    const { dir, run } = place();
    const messages = prompts.slice(0, 7).flatMap(content => [
      { role: 'user', content },
      { role: 'assistant', content: 'Yes.' },
    ]);
    const file = join(dir, 'talk.json');
    writeFileSync(file, JSON.stringify(messages));
    const one = await run(['-p', prompts[8] as string, '--resume', file], '');
    expect([one.stdout, one.code]).toEqual(['Yes.\n', 0]);
    expect(one.stderr).toContain('turns became a summary');
    for (const [overflow, said] of [
      ['trim', 'left out'],
      ['stop', 'but the context holds 3000: the conversation'],
    ] as const) {
      writeFileSync(join(dir, 'config.json'), JSON.stringify({ SystemPrompt: 'Be brief.', overflow }));
      const { stderr } = await run(['-p', long, '--resume', file], '');
      expect(stderr).toContain(said);
      expect(stderr).not.toContain('summar');
    }
  });
});
