import type { ToolOffer } from '../../agent/offer/tool-offer.ts';
import type { HostTool } from '../../mcp/tool-host.ts';

/** A start with more than this share of the context in definitions is worth a word. */
const NOTICE_SHARE = 0.1;
const NAMED = 3;

export interface ServerTokens {
  readonly server: string;
  readonly tokens: number;
}

/** Tokens of each server's definitions, in the order of the servers. */
export function serverTokens(tools: readonly HostTool[], one: (tool: HostTool) => number): ServerTokens[] {
  const sums = new Map<string, number>();
  for (const tool of tools) sums.set(tool.server, (sums.get(tool.server) ?? 0) + one(tool));
  return [...sums].map(([server, tokens]) => ({ server, tokens }));
}

/** `files 140: list_files 35, read_file 38, ...`, a line for each server. */
export function tokenLines(tools: readonly HostTool[], one: (tool: HostTool) => number): string[] {
  return serverTokens(tools, one).map(({ server, tokens }) => {
    const mine = tools.filter(tool => tool.server === server);
    return `${server} ${tokens}: ${mine.map(tool => `${tool.definition.function.name} ${one(tool)}`).join(', ')}`;
  });
}

/** `1813 in all, 22 % of the context of 8192`. */
export function shareText(tokens: number, contextLength: number): string {
  return `${tokens} in all, ${percentOf(tokens, contextLength)} of the context of ${contextLength}`;
}

function percentOf(tokens: number, contextLength: number): string {
  return `${Math.round((100 * tokens) / contextLength)} %`;
}

/** Warns of the room that tools take in the context; undefined: they take little. */
export function definitionsNotice(
  tools: readonly HostTool[],
  offer: ToolOffer,
  contextLength: number,
): string | undefined {
  const { meter } = offer;
  const total = tools.length === 0 ? 0 : meter.all(tools.map(tool => tool.definition));
  if (total <= contextLength * NOTICE_SHARE) return undefined;
  const one = ({ definition }: HostTool): number => meter.one(definition);
  const largest = serverTokens(tools, one).sort((a, b) => b.tokens - a.tokens);
  const named = largest.slice(0, NAMED).map(({ server, tokens }) => `'${server}' ${tokens}`);
  const others = largest.slice(NAMED).reduce((sum, { tokens }) => sum + tokens, 0);
  if (others > 0) named.push(`others ${others}`);
  const offered = offer.fits(tools)
    ? 'All are offered.'
    : `Each prompt offers those that fit it, up to ${offer.budget} tokens (tools.budget).`;
  return `The definitions of ${tools.length} tools take ${total} tokens, ${percentOf(total, contextLength)} of the context: ${named.join(', ')}. ${offered}`;
}
