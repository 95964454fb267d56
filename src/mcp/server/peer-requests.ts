import { existsSync, statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Client } from '@modelcontextprotocol/client';
import { messageOf } from '../../errors.ts';
import type { ServerConfig } from '../config/types.ts';
import { type Elicit, type ElicitationAnswer, elicitationFields } from './elicitation.ts';
import { cleanLine, cleanText, TEXT_LIMITS } from './incoming-text.ts';

/** A server that keeps asking must not take over the terminal. */
const MAX_OPEN_QUESTIONS = 1;

export interface PeerRequestOptions {
  readonly server: string;
  readonly onLog: (line: string) => void;
  /** Asks the user; undefined: nobody can be asked, and forms are declined. */
  readonly elicit: () => Elicit | undefined;
  /** A form was declined because nobody could be asked. */
  readonly onDeclined: (message: string) => void;
  /** A question to the user starts or ends. */
  readonly onWaiting: (waiting: boolean) => void;
  /** Absolute paths of the server's roots. */
  readonly roots: readonly string[];
}

/** What this host offers to servers. Not sampling: the protocol has deprecated it. */
export const CLIENT_CAPABILITIES = {
  roots: { listChanged: false },
  elicitation: { form: { applyDefaults: true } },
} as const;

/** Answers a server's requests to its host, and logs its messages. */
export function answerPeerRequests(client: Client, options: PeerRequestOptions): void {
  client.setRequestHandler('roots/list', () => ({
    roots: options.roots.map(root => ({ uri: pathToFileURL(root).href, name: root })),
  }));
  client.setNotificationHandler('notifications/message', ({ params }) => {
    options.onLog(`[${params.level}] ${logText(params.data)}`);
  });
  let open = 0;
  client.setRequestHandler('elicitation/create', async ({ params }, { mcpReq }) => {
    const elicit = options.elicit();
    if (elicit === undefined || open >= MAX_OPEN_QUESTIONS || !('requestedSchema' in params)) {
      options.onDeclined(
        `Server '${options.server}' asked for input, which was declined: ${cleanLine(params.message, TEXT_LIMITS.notice)}`,
      );
      return { action: 'decline' as const };
    }
    const fields = elicitationFields(params.requestedSchema);
    open++;
    options.onWaiting(true);
    try {
      const request = {
        server: options.server,
        message: cleanText(params.message, TEXT_LIMITS.question),
        fields,
      };
      const answer: ElicitationAnswer = await elicit(request, mcpReq.signal);
      return { ...answer };
    } catch (error) {
      options.onLog(`a question to the user failed: ${messageOf(error)}`);
      return { action: 'cancel' as const };
    } finally {
      open--;
      options.onWaiting(false);
    }
  });
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
  const args = 'args' in config ? config.args : [];
  const named = args.filter(arg => isAbsolute(arg) && existsSync(arg) && statSync(arg).isDirectory());
  return named.length > 0 ? named : [workingDirectory];
}
