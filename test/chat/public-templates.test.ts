import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
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
