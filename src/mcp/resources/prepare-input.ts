import { LlmHostError } from '../../errors.ts';
import { nearest } from '../../text/nearest.ts';
import { callServer } from '../calls/call.ts';
import type { ResourceReads } from '../calls/resource-reads.ts';
import { resultText } from '../calls/result-text.ts';
import { cleanLine, TEXT_LIMITS } from '../server/incoming-text.ts';
import type { ManagedServer } from '../server/managed-server.ts';
import type { PromptResult } from '../server/wire-schemas.ts';
import type { CallOptions, PreparedInput, PrepareOptions } from '../tool-host.ts';
import { type PromptReference, promptReference, resourceReferences } from './input-references.ts';

const SEPARATOR = '\n\n';

/** An input with its prompt or resources filled in; see ToolHost.prepareInput. */
export async function prepareInput(
  input: string,
  servers: readonly ManagedServer[],
  { maxChars, reads }: { readonly maxChars: number; readonly reads: ResourceReads },
  { naming = input, ...options }: PrepareOptions,
): Promise<PreparedInput> {
  const named = (name: string) => servers.find(server => server.config.name === name) as ManagedServer;
  const names = servers.map(server => server.config.name);
  const prompt = promptReference(input.trim(), names);
  if (prompt !== undefined) {
    return { text: await promptText(prompt, named(prompt.server), maxChars, options), notices: [] };
  }
  const references = resourceReferences(naming, names);
  const attached = await Promise.all(
    references.map(async ({ server, uri }) => {
      const text = resultText(await reads.read(named(server), uri, options), maxChars);
      void named(server).watch(uri);
      return { label: `${server}:${uri}`, text };
    }),
  );
  return {
    text: [input, ...attached.map(({ text }) => text)].join('\n\n'),
    notices: attached.map(({ label, text }) => `Attached ${label} (${text.length} characters).`),
  };
}

async function promptText(
  reference: PromptReference,
  server: ManagedServer,
  maxChars: number,
  options: CallOptions,
): Promise<string> {
  checkArguments(reference, server);
  const result = await callServer(
    {
      server,
      subject: `Prompt '${reference.prompt}'`,
      action: `the prompt '${reference.prompt}'`,
      run: (connection, hooks) => connection.getPrompt(reference.prompt, reference.arguments, hooks),
    },
    options,
  );
  const text = messagesText(result, maxChars);
  if (text.trim() === '') {
    throw new LlmHostError('TOOL_FAILED', `Prompt '${reference.prompt}' of '${server.config.name}' is empty`);
  }
  return text;
}

/** Refuses bad names here, listing the good ones, rather than leave it to the server. */
function checkArguments(
  { server, prompt, arguments: args }: PromptReference,
  { extras }: ManagedServer,
): void {
  if (extras.prompts.length === 0) return;
  const known = extras.prompts.find(candidate => candidate.name === prompt);
  if (known === undefined) {
    const names = extras.prompts.map(candidate => candidate.name);
    const near = nearest(prompt, names);
    throw new LlmHostError('USAGE', `Server '${server}' has no prompt '${prompt}'`, {
      hint: near ? `Did you mean /${server}:${near}?` : `Its prompts: ${names.join(', ')}`,
    });
  }
  const missing = (known.arguments ?? []).filter(
    ({ name, required }) => required && !Object.hasOwn(args, name),
  );
  if (missing.length === 0) return;
  throw new LlmHostError(
    'USAGE',
    `/${server}:${prompt} needs ${missing.map(({ name }) => name).join(', ')}`,
    {
      hint: `/${server}:${prompt} ${missing.map(({ name }) => `${name}=...`).join(' ')}`,
    },
  );
}

/** The prompt's messages as the user's text; an assistant message is labelled. What is cut off is told. */
function messagesText({ messages }: PromptResult, maxChars: number): string {
  const texts: string[] = [];
  let left = maxChars;
  for (const [index, { role, content }] of messages.entries()) {
    if (left <= 0) {
      texts.push(`... [cut: ${index} of ${messages.length} messages]`);
      break;
    }
    const text = resultText({ content: Array.isArray(content) ? content : [content] }, left);
    texts.push(`${role === 'user' ? '' : speaker(role)}${text}`);
    left -= (texts[index] as string).length + SEPARATOR.length;
  }
  return texts.join(SEPARATOR);
}

/** `Assistant: ` */
function speaker(role: string): string {
  const name = cleanLine(role, TEXT_LIMITS.title);
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}: `;
}
