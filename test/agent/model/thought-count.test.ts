import { describe, expect, it } from 'vitest';
import { ThoughtCount } from '../../../src/agent/model/thought-count.ts';
import { createToolParser } from '../../../src/parse/create-tool-parser.ts';

const CALL = '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>';

/** Tokens of thoughts of a reply that comes in these tokens. */
function counted(tokens: readonly string[], options: { format?: string; prompt?: string } = {}): number {
  const { format = 'hermes', prompt } = options;
  const parser = createToolParser({ format, ...(prompt !== undefined && { prompt }) });
  const thoughts = new ThoughtCount();
  for (const token of tokens) {
    thoughts.next();
    expect(thoughts.settle(parser.push(token))).toBeInstanceOf(Array);
  }
  thoughts.settle(parser.end());
  return thoughts.tokens;
}

describe('tokens of thoughts', () => {
  it.each<[string, number, string[]]>([
    ['none', 0, ['Hi', ' there', '.']],
    ['a thought with its opening mark', 4, ['<think>', 'h', 'm', '.', '</think>', 'So', '.']],
    ['a mark in pieces', 5, ['<th', 'ink', '>', 'h', 'm', '</', 'think>', 'So']],
    ['two thoughts', 4, ['<think>', 'a', '</think>', 'So', '<think>', 'b', '</think>', 'Yes']],
    ['a thought that is cut off', 3, ['<think>', 'a', 'b']],
    ['letters whose first tokens say nothing', 3, ['<think>', '', '😀', '</think>', 'So']],
    ['a thought that a call ends', 2, ['<think>', 'a', CALL]],
    ['a token that ends a thought and begins the answer', 3, ['<think>', 'aaaa', 'bbbbbb</think>So']],
    ['nothing at all', 0, []],
  ])('%s', (_, wanted, tokens) => {
    expect(counted(tokens)).toBe(wanted);
  });

  it("harmony's channels", () => {
    const analysis = ['<|channel|>', 'analysis', '<|message|>', 'h', 'm', '<|end|>'];
    const final = ['<|start|>', 'assistant', '<|channel|>', 'final', '<|message|>', 'So'];
    expect(counted([...analysis, ...final], { format: 'harmony' })).toBe(5);
  });
});
