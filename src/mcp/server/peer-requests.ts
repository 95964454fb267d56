import { existsSync, statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Client } from '@modelcontextprotocol/client';
import { LlmHostError, messageOf } from '../../errors.ts';
import { definitionSizeFault } from '../../text/json/definition-size.ts';
import { isPlainObject } from '../../text/json/plain-object.ts';
import type { ServerConfig } from '../config/types.ts';
import { FORM_MARK, MAX_QUESTIONS } from '../transport/wire-extensions.ts';
import {
  type Elicit,
  type ElicitationAnswer,
  type ElicitationRequest,
  elicitationFields,
} from './elicitation.ts';
import { cleanLine, cleanText, isCleanName, TEXT_LIMITS } from './incoming-text.ts';

export interface PeerRequestOptions extends QuestionOptions {
  /** Absolute paths of the server's roots. */
  readonly roots: readonly string[];
  /** Aborts when what a question belongs to is cancelled; undefined: nothing of ours. */
  readonly callSignal: () => AbortSignal | undefined;
}

/** The capabilities that this host offers to servers. Sampling is not among them: the protocol has deprecated it. */
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

/** A server that keeps asking must not take over the terminal. */
const MAX_OPEN_QUESTIONS = 1;
const MAX_ADDRESS_CHARS = 2048;

export interface QuestionOptions {
  readonly server: string;
  readonly onLog: (line: string) => void;
  /** Asks the user; undefined: nobody can be asked, and questions are declined. */
  readonly elicit: () => Elicit | undefined;
  /** A question was declined without the user. */
  readonly onDeclined: (message: string) => void;
  /** A question to the user starts or ends. */
  readonly onWaiting: (waiting: boolean) => void;
}

/** Puts a server's questions (elicitation) to the user, one at a time. */
export class Questions {
  readonly #options: QuestionOptions;
  #open = 0;

  constructor(options: QuestionOptions) {
    this.#options = options;
  }

  /** Never rejects. `params` are those of `elicitation/create`, as the server sent them. */
  async answer(params: unknown, signal: AbortSignal): Promise<ElicitationAnswer> {
    const { server, onLog, onDeclined, onWaiting } = this.#options;
    const elicit = this.#options.elicit();
    const request = readQuestion(server, isPlainObject(params) ? params : {});
    if (elicit === undefined || this.#open >= MAX_OPEN_QUESTIONS || 'fault' in request) {
      const why = 'fault' in request ? ` (${request.fault})` : '';
      onDeclined(`Server '${server}' asked for input, which was declined${why}: ${messageIn(params)}`);
      return { action: 'decline' };
    }
    this.#open++;
    onWaiting(true);
    try {
      return { ...(await elicit(request, signal)) };
    } catch (error) {
      onLog(`a question to the user failed: ${messageOf(error)}`);
      return { action: 'cancel' };
    } finally {
      this.#open--;
      onWaiting(false);
    }
  }

  /**
   * Asks for each address that a call was refused for. Throws LlmHostError TOOL_FAILED if the user does not go there.
   */
  async visit(elicitations: readonly unknown[], signal: AbortSignal): Promise<void> {
    if (elicitations.length > MAX_QUESTIONS)
      throw new LlmHostError(
        'TOOL_FAILED',
        `The tool asks for ${elicitations.length} addresses at once; at most ${MAX_QUESTIONS} are allowed`,
      );
    for (const params of elicitations) {
      const { action } = await this.answer(params, signal);
      if (action !== 'accept')
        throw new LlmHostError(
          'TOOL_FAILED',
          `The user did not open an address that the tool needs (${action})`,
        );
    }
  }
}

function messageIn(params: unknown): string {
  const message = isPlainObject(params) ? params.message : undefined;
  return typeof message === 'string' ? cleanLine(message, TEXT_LIMITS.notice) : 'without a message';
}

function readQuestion(
  server: string,
  params: Readonly<Record<string, unknown>>,
): ElicitationRequest | { readonly fault: string } {
  const { message, mode = 'form', requestedSchema, url } = params;
  if (typeof message !== 'string') return { fault: 'it has no message' };
  const asked = { server, message: cleanText(message, TEXT_LIMITS.question) };
  if (mode === 'form') {
    const marked = isPlainObject(params._meta) ? params._meta[FORM_MARK] : undefined;
    // A task's question has not been through the SDK.
    const fault = typeof marked === 'string' ? marked : definitionSizeFault(requestedSchema);
    return fault === undefined
      ? { ...asked, fields: elicitationFields(requestedSchema) }
      : { fault: `its form ${cleanLine(fault, TEXT_LIMITS.field)}` };
  }
  if (mode !== 'url') return { fault: 'it asks in an unknown way' };
  const address = safeAddress(url);
  return 'fault' in address ? address : { ...asked, fields: [], url: address.href };
}

/** An address that can be shown as it is: nothing hidden, and nothing that looks like another host. */
function safeAddress(url: unknown): { readonly href: string } | { readonly fault: string } {
  if (typeof url !== 'string' || !URL.canParse(url)) return { fault: 'its address is not valid' };
  if (!isCleanName(url, MAX_ADDRESS_CHARS))
    return { fault: 'its address is too long or has hidden characters' };
  const { href, protocol, username, password } = new URL(url);
  if (protocol !== 'https:' && protocol !== 'http:') return { fault: 'its address is not http or https' };
  if (username !== '' || password !== '')
    return { fault: 'its address has a user name, which may pass for a host' };
  return { href };
}
