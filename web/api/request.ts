import { ApiFailure, failureOf, refusalOf } from './api-failure.ts';
import { sessionKey } from './session-key.ts';

/** Relative to the page, which a proxy may have below a path. */
const urlOf = (path: string) => new URL(path, document.baseURI);

/** Sends a request with the key. Throws ApiFailure for anything but success, or the abort of `signal`. */
export async function request(path: string, init: RequestInit = {}): Promise<Response> {
  const authorization = keyHeader();
  let response: Response;
  try {
    response = await fetch(urlOf(path), {
      ...init,
      headers: { ...init.headers, ...authorization },
      redirect: 'error',
      cache: 'no-store',
    });
  } catch (error) {
    throw init.signal?.aborted ? error : failureOf(error);
  }
  if (!response.ok) throw refusalOf(response.status, await response.json().catch(() => undefined));
  return response;
}

/** Throws ApiFailure for a key that cannot be sent, which would look as if the server did not answer. */
function keyHeader(): { readonly authorization?: string } {
  const key = sessionKey();
  if (key === undefined) return {};
  if (/[^ -~\u00a0-\u00ff]/.test(key))
    throw new ApiFailure(
      401,
      'This key holds a character that no key can have, perhaps one that is not seen.',
    );
  return { authorization: `Bearer ${key}` };
}

export function postJson(path: string, body: object, init: RequestInit = {}): Promise<Response> {
  return request(path, {
    ...init,
    method: 'POST',
    body: JSON.stringify(body),
    headers: { ...init.headers, 'content-type': 'application/json' },
  });
}
