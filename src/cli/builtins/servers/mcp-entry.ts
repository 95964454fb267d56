import { join } from 'node:path';
import { LlmHostError } from '../../../errors.ts';
import type { ServerConfig } from '../../../mcp/config/config.ts';
import { prepareMcp } from '../../process/prepare-mcp.ts';

/**
 * The entry of `/mcp add NAME COMMAND|URL [ARGUMENT...]`, read as if it were in a user's mcp.json in
 * the working directory. Throws LlmHostError USAGE.
 */
export async function entryOfLine(name: string, words: readonly string[]): Promise<ServerConfig> {
  const [target, ...args] = words;
  if (target === undefined) {
    throw new LlmHostError('USAGE', `/mcp add ${name}: a command or a url is missing`);
  }
  const url = /^https?:\/\//i.test(target);
  if (url && args.length > 0) {
    throw new LlmHostError('USAGE', `/mcp add ${name}: a url takes no arguments`, {
      hint: 'Headers go into mcp.json.',
    });
  }
  const entry = url ? { url: target } : { command: target, args };
  const cwd = process.cwd();
  const file = {
    path: join(cwd, 'mcp.json'),
    label: '/mcp add',
    text: JSON.stringify({ servers: { [name]: entry } }),
  };
  const { servers, failures } = await prepareMcp([file], { cwd, env: process.env });
  const [config] = servers;
  if (config === undefined)
    throw new LlmHostError('USAGE', failures[0]?.error ?? `/mcp add ${name}: no entry`);
  return config;
}
