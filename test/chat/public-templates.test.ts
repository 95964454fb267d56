import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { probeTemplate } from '../../src/chat/capability.ts';
import { compileTemplate } from '../../src/chat/template.ts';
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
