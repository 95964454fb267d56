import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { EXIT, LlmHostError, messageOf } from '../../errors.ts';
import { cachedModels } from '../../hub/cached-models.ts';
import { HttpClient } from '../../hub/http-client.ts';
import { type HubEnvironment, hubCacheFolder, hubEnvironment } from '../../hub/hub-environment.ts';
import { HubFailure } from '../../hub/hub-failure.ts';
import { byteSize } from '../../text/byte-size.ts';
import { type Finding, failed, ok, warning } from './finding.ts';

/** Bytes; too little for most models. */
const LITTLE_ROOM = 5e9;

export function checkCache(env: NodeJS.ProcessEnv): Finding {
  const folder = hubCacheFolder(env);
  try {
    const models = cachedModels(folder).length;
    const present = nearestPresent(folder);
    accessSync(present, constants.W_OK);
    const { bavail, bsize } = statfsSync(present);
    const message = `${folder}: ${models} ${models === 1 ? 'model' : 'models'}, ${byteSize(bavail * bsize)} free`;
    if (bavail * bsize >= LITTLE_ROOM) return ok('cache', message);
    return warning('cache', message, 'Free some (`llm-host rm`), or set HF_HUB_CACHE to another disk.');
  } catch (error) {
    return warning(
      'cache',
      `${folder} cannot be used to download: ${messageOf(error)}`,
      'Set HF_HUB_CACHE to a writable folder.',
    );
  }
}

function nearestPresent(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearestPresent(dirname(folder));
}

/** Checks whether the Hub answers and accepts the token. */
export async function checkHub(env: NodeJS.ProcessEnv): Promise<Finding> {
  try {
    const environment = hubEnvironment(env);
    if (environment.offline) return ok('hub', 'not asked: HF_HUB_OFFLINE is set');
    return await ask(environment);
  } catch (error) {
    if (error instanceof HubFailure) {
      const fix = error.advice ?? 'Models in the cache and in folders work without it.';
      return warning('hub', error.message, fix);
    }
    if (error instanceof LlmHostError) {
      return failed('hub', error.message, error.hint ?? '', EXIT.config);
    }
    throw error;
  }
}

async function ask(environment: HubEnvironment): Promise<Finding> {
  const { endpoint, token, answerTimeoutMs } = environment;
  const client = new HttpClient(environment);
  try {
    const url = new URL(`${endpoint}/api/whoami-v2`);
    const { status, body } = await client.get({ url, timeoutMs: answerTimeoutMs });
    body.destroy();
    if (status === 401 && token) {
      const fix = 'Make a new one at https://huggingface.co/settings/tokens, or unset it.';
      return failed('hub', `${endpoint} rejects the token in ${token.origin} (401)`, fix, EXIT.config);
    }
    if (status === 401)
      return ok('hub', `${endpoint} answers; no token is set, so only public models are available`);
    if (status === 200)
      return ok('hub', `${endpoint} answers and accepts the token in ${token?.origin ?? 'use'}`);
    return warning('hub', `${endpoint} answered ${status}`, 'Try again later, or check HF_ENDPOINT.');
  } finally {
    client.close();
  }
}
