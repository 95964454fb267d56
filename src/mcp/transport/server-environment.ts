import { onWindows } from './windows-tree.ts';

/** What a server inherits. Anything else, above all tokens and keys, must be named in its entry. */
const INHERITED = ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER', 'LANG', 'LC_ALL', 'TMPDIR', 'TZ'];
/** Hardly any Windows program starts without these. */
const WINDOWS =
  'APPDATA COMSPEC HOMEDRIVE HOMEPATH LOCALAPPDATA PATHEXT PROGRAMFILES SYSTEMDRIVE SYSTEMROOT TEMP TMP USERNAME USERPROFILE';
/** Servers behind a proxy that re-signs TLS hang without these. Read in upper and lower case. */
const NETWORK = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS'];

/** A server's whole environment: the short list from `host`, then its entry's `env`, where null removes. */
export function serverEnvironment(
  entryEnv: Readonly<Record<string, string | null>>,
  host: Readonly<Record<string, string | undefined>> = process.env,
): Record<string, string> {
  const env: Record<string, string> = {};
  const windows = onWindows ? WINDOWS.split(' ') : [];
  for (const name of [...INHERITED, ...windows, ...NETWORK, ...NETWORK.map(name => name.toLowerCase())]) {
    const value = host[name];
    if (value !== undefined) env[name] = value;
  }
  for (const [name, value] of Object.entries(entryEnv)) {
    if (value === null) delete env[name];
    else env[name] = value;
  }
  return env;
}
