import { lookup as systemLookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { LlmHostError } from '../../errors.ts';

/**
 * Whether a server may be on a loopback or private address: `never`; `named`: if its URL itself names a local host (a
 * public name that resolves to a local address is an attack); `always` (`allowLocalNetwork`).
 */
export type LocalAccess = 'never' | 'named' | 'always';

const LOCAL = new BlockList();
for (const [net, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  LOCAL.addSubnet(net, bits, 'ipv4');

/** Only 2000::/3 is routed on the internet; its exceptions, and ranges that wrap IPv4 addresses, are listed below. */
const PUBLIC_V6 = new BlockList();
PUBLIC_V6.addSubnet('2000::', 3, 'ipv6');
const SPECIAL_V6 = new BlockList();
SPECIAL_V6.addSubnet('2001::', 23, 'ipv6');
SPECIAL_V6.addSubnet('2001:db8::', 32, 'ipv6');
SPECIAL_V6.addSubnet('3fff::', 20, 'ipv6');

/**
 * Whether an IP address is not public: loopback, private, link-local (cloud metadata), shared, multicast, reserved or
 * documentation, also wrapped in IPv6 (mapped, 6to4, NAT64). Anything that is not an address counts as local, and so
 * is refused.
 */
export function isLocalAddress(address: string): boolean {
  const plain = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  const family = isIP(plain);
  if (family === 0) return true;
  if (family === 4) return LOCAL.check(plain, 'ipv4');
  const inner = wrappedIpv4(plain);
  if (inner !== undefined) return LOCAL.check(inner, 'ipv4');
  return !PUBLIC_V6.check(plain, 'ipv6') || SPECIAL_V6.check(plain, 'ipv6');
}

/** The IPv4 address inside ::ffff:a.b.c.d, 64:ff9b::a.b.c.d and 2002:ab:cd::. */
function wrappedIpv4(address: string): string | undefined {
  // The URL parser normalizes IPv6 addresses and writes the IPv4 part in hexadecimal.
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const words =
    /^(?:::ffff:|64:ff9b::)(?:([0-9a-f]{1,4}):)?([0-9a-f]{1,4})$/.exec(canonical) ??
    /^2002:([0-9a-f]{0,4}):([0-9a-f]{0,4})(?::|$)/.exec(canonical);
  if (words === null) return undefined;
  const value = Number.parseInt(words[1] || '0', 16) * 0x10000 + Number.parseInt(words[2] || '0', 16);
  return [24, 16, 8, 0].map(shift => Math.floor(value / 2 ** shift) % 256).join('.');
}

/** Names that public DNS does not resolve. */
function isLocalName(host: string): boolean {
  const name = host.toLowerCase().replace(/\.$/, '');
  return (
    !name.includes('.') || /\.(localhost|local|localdomain|lan|home|internal|intranet|home\.arpa)$/.test(name)
  );
}

/**
 * Checks a server's URL before anything is sent. Throws LlmHostError CONFIG for a scheme other than http and https,
 * and for a local host that `access` does not allow. A name may still resolve to a local address: connect with
 * `guardedLookup`.
 */
export function checkServerUrl(url: string | URL, access: LocalAccess): URL {
  const parsed = URL.canParse(String(url)) ? new URL(String(url)) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) {
    throw new LlmHostError('CONFIG', 'the url must begin with http:// or https://');
  }
  const host = parsed.hostname.replace(/^\[|\]$/g, '');
  const local = isIP(host) === 0 ? isLocalName(host) : isLocalAddress(host);
  if (local && access === 'never') throw refused(host);
  return parsed;
}

/**
 * Checks a redirect: like `checkServerUrl`, but a server that is only allowed on the local network because its own
 * URL says so may not redirect to another local host.
 */
export function checkRedirect(from: string | URL, to: string | URL, access: LocalAccess): URL {
  const sameHost = new URL(String(from)).host === (URL.canParse(String(to)) ? new URL(String(to)).host : '');
  return checkServerUrl(to, access === 'named' && !sameHost ? 'never' : access);
}

/**
 * A `lookup` for sockets that never returns a forbidden local address. The socket connects to the address that was
 * checked, so DNS rebinding gains nothing.
 */
export function guardedLookup(access: LocalAccess, lookup: LookupFunction = systemLookup): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '', 0);
      const all = Array.isArray(found) ? found : [];
      const allowed =
        access === 'always' || (access === 'named' && (isLocalName(hostname) || isIP(hostname) !== 0));
      const usable = allowed ? all : all.filter(({ address }) => !isLocalAddress(address));
      const first = usable[0];
      if (first === undefined) return callback(refused(hostname, all[0]?.address), '', 0);
      if (options.all === true) callback(null, usable);
      else callback(null, first.address, first.family);
    });
  };
}

function refused(host: string, address?: string): LlmHostError {
  const where = address === undefined ? `'${host}'` : `'${host}' (${address})`;
  return new LlmHostError(
    'CONFIG',
    `${where} is on this machine or the local network, which is not allowed here`,
    {
      hint: 'Set "allowLocalNetwork": true in its entry, or write the url into an mcp.json of your own.',
    },
  );
}
