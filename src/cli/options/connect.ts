import { LlmHostError } from '../../errors.ts';
import { quoted } from '../../text/clean/visible.ts';
import { isHttpAddress } from '../../text/http-address.ts';
import { apiKeyOf } from './api-key.ts';
import type { ChatArguments } from './chat-options.ts';

/** What the server decided when it loaded the model. */
const OF_THE_SERVER = {
  adapter: '--adapter',
  quantize: '--quantize',
  saveQuantized: '--save-quantized',
  draftModel: '--draft-model',
  hosts: '--hosts',
  diskCacheMb: '--disk-cache-mb',
  kvBits: '--kv-bits',
  context: '--context',
  backend: '--backend',
  ollamaBaseUrl: '--ollama-base-url',
  revision: '--revision',
  repetitionGuard: '--repetition-guard',
} as const satisfies Partial<Record<keyof ChatArguments, string>>;

/** For a chat, which has the key only for a server. Throws LlmHostError USAGE. */
export function checkKey(args: ChatArguments): void {
  if (args.connect !== undefined || args.apiKey === undefined) return;
  throw new LlmHostError('USAGE', '--api-key goes with --connect');
}

/** `--connect` and its key; undefined: the model runs here. Throws LlmHostError USAGE. */
export function connection(
  args: ChatArguments,
  env: NodeJS.ProcessEnv,
): { readonly url: string; readonly apiKey: string | undefined } | undefined {
  if (args.connect === undefined) return undefined;
  const names = Object.keys(OF_THE_SERVER) as (keyof typeof OF_THE_SERVER)[];
  const other = names.find(name => args[name] !== undefined);
  if (other) {
    throw new LlmHostError('USAGE', `${OF_THE_SERVER[other]} does not go with --connect`, {
      hint: 'The server has loaded the model; give the option to its `llm-host serve`.',
    });
  }
  return { url: serverAddress(args.connect), apiKey: apiKeyOf(args.apiKey, env) };
}

/** `http://127.0.0.1:8080`: as `serve` prints it, or only host and port, or with the `/v1` that other clients need. */
function serverAddress(text: string): string {
  const full = text.includes('://') ? text : `http://${text}`;
  if (!isHttpAddress(full)) {
    throw new LlmHostError(
      'USAGE',
      `--connect takes an address such as http://127.0.0.1:8080, not ${quoted(text)}`,
    );
  }
  const url = new URL(full);
  if (url.username !== '' || url.password !== '') {
    throw new LlmHostError('USAGE', '--connect takes no user and password; a key goes with --api-key');
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '').replace(/\/v1$/, '')}`;
}
