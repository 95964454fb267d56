import { expect, test } from 'vitest';
import type { ToolOffer } from '../../../src/agent/offer/tool-offer.ts';
import { definitionsNotice } from '../../../src/cli/tools/definition-tokens.ts';
import type { HostTool } from '../../../src/mcp/tool-host.ts';

const tools = (...servers: string[]): HostTool[] =>
  servers.map(
    (server, index) =>
      ({
        definition: { type: 'function', function: { name: `t${index}`, parameters: {} } },
        server,
        tool: 't',
        readOnly: true,
      }) as HostTool,
  );

/** 100 tokens a tool. */
const offer = (fits: boolean) =>
  ({
    budget: 150,
    fits: () => fits,
    meter: { one: () => 100, all: (all: readonly unknown[]) => 100 * all.length },
  }) as unknown as ToolOffer;

test('at most three servers are named, the largest first, and the rest counted', () => {
  const all = tools('a', 'b', 'b', 'c', 'd', 'e', 'b', 'c');
  expect(definitionsNotice(all, offer(true), 4000)).toBe(
    "The definitions of 8 tools take 800 tokens, 20 % of the context: 'b' 300, 'c' 200, 'a' 100, others 200. All are offered.",
  );
  expect(definitionsNotice(tools('a', 'b'), offer(false), 1000)).toBe(
    "The definitions of 2 tools take 200 tokens, 20 % of the context: 'a' 100, 'b' 100. Each prompt offers those that fit it, up to 150 tokens (tools.budget).",
  );
});

test('nothing where they take little, or nothing', () => {
  expect(definitionsNotice(tools('a'), offer(true), 1000)).toBeUndefined();
  expect(definitionsNotice([], offer(true), 1000)).toBeUndefined();
});
