import { failureOf, refusalOf } from './api-failure.ts';
import { sessionKey } from './session-key.ts';

/** Relative to the page, which a proxy may have below a path. */
const urlOf = (path: string) => new URL(path, document.baseURI);

/** Sends a request with the key. Throws ApiFailure for anything but success, or the abort of `signal`. */
export async function request(path: string, init: RequestInit = {}): Promise<Response> {
  const key = sessionKey();
  let response: Response;
  try {
    response = await fetch(urlOf(path), {
      ...init,
      headers: { ...init.headers, ...(key !== undefined && { authorization: `Bearer ${key}` }) },
      redirect: 'error',
      cache: 'no-store',
    });
  } catch (error) {
    throw init.signal?.aborted ? error : failureOf(error);
  }
  if (!response.ok) throw refusalOf(response.status, await response.json().catch(() => undefined));
  return response;
}

export function postJson(path: string, body: object, init: RequestInit = {}): Promise<Response> {
  return request(path, {
    ...init,
    method: 'POST',
    body: JSON.stringify(body),
    headers: { ...init.headers, 'content-type': 'application/json' },
  });
}
