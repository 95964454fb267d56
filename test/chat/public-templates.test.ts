import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { adaptConversation } from '../../src/chat/adapt.ts';
import { probeTemplate } from '../../src/chat/capability.ts';
import type { Message, ToolCall } from '../../src/chat/message.ts';
import { compileTemplate } from '../../src/chat/template.ts';
import { tryRender } from '../../src/chat/try-render.ts';
import { formatOfTemplate } from '../../src/parse/formats/table.ts';
import { CONVERSATIONS, digestOf, GOLDEN } from './conversations.ts';

// Templates of public models carry their makers' licences, so they stand beside the checkout, not in it.
const FOLDER = fileURLToPath(new URL('../../../shared/chat-templates/', import.meta.url));
const isThere = existsSync(FOLDER);
const REASON =
  'skipped: ../shared/chat-templates, the folder of public templates, is not beside this checkout';
if (!isThere) console.warn(`public-templates.test.ts ${REASON}`);

const names = Object.keys(GOLDEN).filter(name => name !== 'demo');

describe(`prompts of ${names.length} public templates equal Hugging Face's`, () => {
  for (const name of names) {
    it(name, ({ skip }) => {
      if (!isThere) skip(REASON);
      const template = compileTemplate(readFileSync(`${FOLDER}${name}`, 'utf8'));
      for (const conversation of CONVERSATIONS) {
        const expected = GOLDEN[name]?.[conversation.name] ?? { error: 'no golden' };
        const digest = 'error' in expected ? 'refused' : expected.sha256;
        expect([conversation.name, digestOf(template, conversation)]).toEqual([conversation.name, digest]);
      }
    });
  }
});

/** Parts of the names of those that do not do it; all others do. */
const LACKS = {
  rendersTools: [
    'SmolLM3',
    'DeepSeek-R1',
    'deepseek-r1',
    'DeepSeek-V3.1',
    'firefunction',
    'gemma-2',
    'rwkv',
    'Phi-3.5',
  ],
  rendersCalls: [
    'SmolLM3',
    'Kimi-K2-Instruct',
    'LFM2-8B',
    'R1-Distill-Llama',
    'deepseek-r1',
    'firefunction',
    'gemma-2',
    'granite-3.3',
    'rwkv',
    'Phi-3.5',
  ],
  systemRole: ['firefunction', 'gemma-2'],
};

it('the probe finds what each public template leaves out', ({ skip }) => {
  if (!isThere) skip(REASON);
  for (const name of names) {
    const template = compileTemplate(readFileSync(`${FOLDER}${name}`, 'utf8'));
    const found = probeTemplate(template, { bosToken: '<s>', eosToken: '</s>' });
    const expected = Object.fromEntries(
      Object.entries(LACKS).map(([key, parts]) => [key, !parts.some(part => name.includes(part))]),
    );
    expect({ name, ...found }).toMatchObject({ name, ...expected });
    expect([name, found.hidesInstructions]).toEqual([name, name.includes('granite-3') || undefined]);
  }
});

it('no public template refuses what a turn may leave behind: two calls, and one that was cancelled', ({
  skip,
}) => {
  if (!isThere) skip(REASON);
  const call = (id: string): ToolCall => ({
    id,
    type: 'function',
    function: { name: 'probe', arguments: { key: 'x' } },
  });
  const ids = ['call00001', 'call00002'];
  const results = ids.map(
    id => ({ role: 'tool', content: 'done', name: 'probe', tool_call_id: id }) as const,
  );
  const messages: Message[] = [
    { role: 'system', content: 'SYS' },
    { role: 'user', content: 'one' },
    { role: 'assistant', content: '', tool_calls: ids.map(call) },
    ...results,
    { role: 'user', content: 'two' },
  ];
  const properties = { key: { type: 'string', description: 'A value' } };
  const parameters = { type: 'object', properties, required: ['key'] };
  const tools = [{ type: 'function' as const, function: { name: 'probe', description: 'd', parameters } }];
  // It lacks a variable that no caller gives it.
  for (const name of names.filter(one => !one.includes('firefunction'))) {
    const source = readFileSync(`${FOLDER}${name}`, 'utf8');
    const template = compileTemplate(source);
    const tokens = { bosToken: '<s>', eosToken: '</s>' };
    const can = probeTemplate(template, tokens);
    const adapted = adaptConversation(messages, tools, can, formatOfTemplate(source));
    expect([name, tryRender(template, { ...tokens, ...adapted })]).toEqual([
      ...[name, expect.stringContaining('two')],
    ]);
  }
});
