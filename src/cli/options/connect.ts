import { LlmHostError } from '../../errors.ts';
import { quoted } from '../../text/clean/visible.ts';
import { isHttpAddress } from '../../text/http-address.ts';
import { apiKeyOf } from './api-key.ts';
import { misplacedOption } from './check-options.ts';
import type { ChatArguments } from './option-table.ts';

/** `--connect` and its key; undefined: the model runs here. Throws LlmHostError USAGE. */
export function connection(
  args: ChatArguments,
  env: NodeJS.ProcessEnv,
): { readonly url: string; readonly apiKey: string | undefined } | undefined {
  if (args.connect === undefined) return undefined;
  const other = misplacedOption(args, 'connect');
  if (other !== undefined) {
    throw new LlmHostError('USAGE', `${other} does not go with --connect`, {
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
