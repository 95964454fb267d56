import { describe, expect, it } from 'vitest';
import { toolPolicy } from '../../../src/cli/start/run-options.ts';

describe('the policy', () => {
  it('comes from config.json and the command line', () => {
    const tools = { blocked: ['a'], allowed: ['b'], ratePerMinute: 5, approval: 'ask' as const };
    expect(toolPolicy({ ask: true, tools: ['x,y', 'z'] }, { SystemPrompt: '', tools })).toEqual({
      ...tools,
      selected: ['x', 'y', 'z'],
      askAll: true,
      askDestructive: true,
    });
    expect(toolPolicy({}, { SystemPrompt: '' })).toEqual({ askDestructive: true });
    expect(toolPolicy({ yes: true }, { SystemPrompt: '' })).toEqual({});
    expect(toolPolicy({ json: true }, { SystemPrompt: '' })).toEqual({});
  });
});
