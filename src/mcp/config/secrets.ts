import { isAbsolute } from 'node:path';

const SECRET_NAME =
  /pass(word|phrase|wd)?$|secret|token|api[-_]?key|access[-_]?key|private[-_]?key|auth|credential|cookie|bearer|signature/i;
const PLAIN_HEADERS = new Set([
  'accept',
  'accept-language',
  'content-type',
  'user-agent',
  'mcp-protocol-version',
]);

/** Whether a value under this name is likely a secret. */
export function looksSecret(name: string): boolean {
  return SECRET_NAME.test(name);
}

/**
 * Whether to keep an environment variable out of logs: everything but short values, numbers, words, paths and URLs
 * without credentials, unless the name says it is secret.
 */
export function isSecretVariable(name: string, value: string): boolean {
  if (looksSecret(name)) return value.length >= 4;
  if (value.length < 8 || isAbsolute(value) || /^[A-Za-z]+([-_ .,][A-Za-z]+)*$/.test(value)) return false;
  if (URL.canParse(value)) {
    const { username, password, search } = new URL(value);
    return username !== '' || password !== '' || search !== '';
  }
  return !/^[\d.]+$/.test(value);
}

/** The secret parts of a header: the whole value, and what follows a scheme such as `Bearer`. */
export function headerSecrets(name: string, value: string): string[] {
  if (PLAIN_HEADERS.has(name.toLowerCase())) return [];
  return [value, value.replace(/^\S+\s+/, '')].filter(text => text.length >= 4);
}
