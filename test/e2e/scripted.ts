import { join } from 'node:path';
import { MAIN, workplace } from './program.ts';

/** The bundled calculator as an entry of mcp.json. */
export const CALCULATOR = { command: process.execPath, args: [MAIN, 'server', 'calculator'] };

/** The text of a tool call, as the scripted model writes it. */
export const calling = (name: string, args: object = {}) =>
  `<tool_call>\n${JSON.stringify({ name, arguments: args })}\n</tool_call>`;

/** The scripted engine's answers and faults, as test/e2e/scripted-main.mjs reads them. */
export interface Script {
  readonly replies?: readonly string[];
  readonly msPerToken?: number;
  readonly charsPerToken?: number;
  readonly contextLength?: number;
  readonly openMs?: number;
  readonly throwAt?: string;
  readonly noiseAt?: string;
}

/** A workplace whose program (SCRIPTED_MAIN) answers by `script` and has these servers. */
export function scripted(script: Script, servers: Readonly<Record<string, object>> = {}) {
  const { dir, env } = workplace({
    'config.json': '{ "SystemPrompt": "You are a helpful assistant." }',
    'mcp.json': JSON.stringify({ servers }),
    'script.json': JSON.stringify(script),
  });
  return { dir, cwd: dir, env: { ...env, LLM_HOST_SCRIPT: join(dir, 'script.json') } };
}
