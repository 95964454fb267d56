import { existsSync, statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Client } from '@modelcontextprotocol/client';
import { messageOf } from '../../errors.ts';
import type { ServerConfig } from '../config/types.ts';
import { type QuestionOptions, Questions } from './questions.ts';

export interface PeerRequestOptions extends QuestionOptions {
  /** Absolute paths of the server's roots. */
  readonly roots: readonly string[];
  /** Aborts when what a question belongs to is cancelled; undefined: nothing of ours. */
  readonly callSignal: () => AbortSignal | undefined;
}

/** What this host offers to servers. Not sampling: the protocol has deprecated it. */
export const CLIENT_CAPABILITIES = {
  roots: { listChanged: false },
  elicitation: { form: { applyDefaults: true }, url: {} },
  extensions: { 'io.modelcontextprotocol/tasks': {} },
} as const;

/** Answers a server's requests to its host, and logs its messages. Returns what asks the user. */
export function answerPeerRequests(client: Client, options: PeerRequestOptions): Questions {
  client.setRequestHandler('roots/list', () => ({
    roots: options.roots.map(root => ({ uri: pathToFileURL(root).href, name: root })),
  }));
  client.setNotificationHandler('notifications/message', ({ params }) => {
    options.onLog(`[${params.level}] ${logText(params.data)}`);
  });
  const questions = new Questions(options);
  client.setRequestHandler('elicitation/create', async ({ params }, { mcpReq }) => {
    const call = options.callSignal();
    const signal = call === undefined ? mcpReq.signal : AbortSignal.any([mcpReq.signal, call]);
    const answer = await questions.answer(params, signal);
    return { ...answer };
  });
  return questions;
}

function logText(data: unknown): string {
  if (typeof data === 'string') return data;
  try {
    return JSON.stringify(data) ?? '';
  } catch (error) {
    return `a value that cannot be written as JSON: ${messageOf(error)}`;
  }
}

/**
 * A server's roots. Folders in its own arguments win: a server that prefers roots to its arguments, as the reference
 * file server does, must not get another folder than the one the user wrote.
 */
export function rootsOf(config: ServerConfig, workingDirectory: string): readonly string[] {
  const named = foldersOf(config);
  return named.length > 0 ? named : [workingDirectory];
}

/** The folders that a server's own arguments name by absolute paths. */
export function foldersOf(config: ServerConfig): readonly string[] {
  const args = 'args' in config ? config.args : [];
  return args.filter(arg => isAbsolute(arg) && existsSync(arg) && statSync(arg).isDirectory());
}
