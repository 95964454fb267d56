import type { IncomingHttpHeaders } from 'node:http';
import type { HubEnvironment } from './hub-environment.ts';
import { HubFailure } from './hub-failure.ts';
import type { HubId } from './hub-id.ts';

const TOKENS_PAGE = 'https://huggingface.co/settings/tokens';

/**
 * Explains an answer other than 2xx. The Hub names the case in `X-Error-Code`. It also answers 401 for a missing
 * repository, so as not to reveal which private ones exist.
 */
export function statusFailure(
  status: number,
  headers: IncomingHttpHeaders,
  host: string,
  id: HubId,
  environment: HubEnvironment,
): HubFailure {
  const code = String(headers['x-error-code'] ?? '');
  const { token } = environment;
  if (code === 'GatedRepo') return gated(id, environment);
  if (code === 'RevisionNotFound')
    return new HubFailure(`${id.repo} has no revision '${id.revision}' (404).`, {
      advice: 'A revision is a branch, a tag or a commit of the repository.',
    });
  if (status === 401 && token && code !== 'RepoNotFound')
    return new HubFailure(
      `The token in ${token.origin} was refused (401): it is wrong, expired or revoked.`,
      {
        advice: `Make a new one at ${TOKENS_PAGE}, or unset it for a public model.`,
      },
    );
  if (status === 401 || status === 404 || code === 'RepoNotFound') return missing(status, id, environment);
  if (status === 403)
    return new HubFailure(`Access is denied (403)${token ? ` to the token in ${token.origin}` : ''}.`, {
      advice: `The token needs read access to this repository: ${TOKENS_PAGE}`,
    });
  if (status === 429)
    return new HubFailure(`${host} limits the rate of requests (429).`, {
      temporary: true,
      retryAfterMs: retryAfter(headers),
      advice: token
        ? 'Try again in a few minutes.'
        : 'Try again in a few minutes, or set HF_TOKEN for a higher limit.',
    });
  const temporary = status >= 500 || status === 408;
  return new HubFailure(`${host} answered ${status}.`, {
    temporary,
    retryAfterMs: temporary ? retryAfter(headers) : undefined,
    advice: temporary ? 'The Hub has a problem (status.huggingface.co); try again later.' : undefined,
  });
}

function gated({ repo }: HubId, { endpoint, token }: HubEnvironment): HubFailure {
  if (token)
    return new HubFailure(`The model is gated, and the token in ${token.origin} has no access to it (403).`, {
      advice: `Ask for access at ${endpoint}/${repo} with the account of that token.`,
    });
  return new HubFailure('The model is gated: it needs a login (401).', {
    advice: `Ask for access at ${endpoint}/${repo}, then set HF_TOKEN to a token from ${TOKENS_PAGE}`,
  });
}

function missing(status: number, { repo }: HubId, { endpoint, token }: HubEnvironment): HubFailure {
  const name = `${endpoint} has no model '${repo}'`;
  return token
    ? new HubFailure(`${name}, or the token in ${token.origin} may not see it (${status}).`, {
        advice: "Check the name; for a private model, check the token's permissions.",
      })
    : new HubFailure(`${name}, or it is private (${status}).`, {
        advice: `Check the name; for a private model, set HF_TOKEN to a token from ${TOKENS_PAGE}`,
      });
}

/** In seconds, or as a date. */
function retryAfter(headers: IncomingHttpHeaders): number | undefined {
  const value = headers['retry-after'];
  if (value === undefined) return undefined;
  const waitMs = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(waitMs) ? Math.max(0, waitMs) : undefined;
}
