import { isIPv4 } from 'node:net';
import { LlmHostError } from '../../errors.ts';
import { quoted } from '../../text/clean/visible.ts';

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** `10.0.0.2:9001`, as `--listen` takes it. Throws LlmHostError USAGE. */
export function parseAddress(text: string, option: string): Address {
  const [host = '', port = '', ...more] = text.split(':');
  const number = /^\d{1,5}$/.test(port) ? Number(port) : 0;
  if (isIPv4(host) && more.length === 0 && number >= 1 && number <= 65_535) return { host, port: number };
  throw new LlmHostError(
    'USAGE',
    `${option} takes an IPv4 address and a port such as 10.0.0.2:9001, not ${quoted(text)}`,
  );
}

export const addressText = ({ host, port }: Address): string => `${host}:${port}`;
