import { connect as connectTls, createServer, type Server, type TLSSocket } from 'node:tls';
import type { Address } from './address.ts';
import { keyOf } from './secret.ts';

/** A shared secret instead of certificates, with a new key for each connection. Node has these for TLS 1.2. */
const CIPHERS = {
  ciphers: 'ECDHE-PSK-CHACHA20-POLY1305:DHE-PSK-AES256-GCM-SHA384',
  minVersion: 'TLSv1.2',
  maxVersion: 'TLSv1.2',
} as const;
const IDENTITY = 'llm-host';
const HANDSHAKE_MS = 5000;
/** Strangers that knock at the same time. */
const MAX_CONNECTIONS = 16;

/** Resolves once it listens. Connections without the secret never get to `onConnection`. Rejects with the system's error. */
export async function listenSecurely(
  { host, port }: Address,
  secret: string,
  onConnection: (socket: TLSSocket) => void,
): Promise<Server> {
  const key = keyOf(secret);
  const server = createServer(
    {
      ...CIPHERS,
      handshakeTimeout: HANDSHAKE_MS,
      noDelay: true,
      pskCallback: (_socket, identity) => (identity === IDENTITY ? key : null),
    },
    onConnection,
  );
  server.maxConnections = MAX_CONNECTIONS;
  // A failure of one connection.
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return server;
}

/** Rejects with the system's error, or one of OpenSSL if the secrets differ. */
export async function connectSecurely({ host, port }: Address, secret: string): Promise<TLSSocket> {
  const key = keyOf(secret);
  return await new Promise((resolve, reject) => {
    const socket = connectTls({
      ...CIPHERS,
      host,
      port,
      pskCallback: () => ({ psk: key, identity: IDENTITY }),
      // The secret says who it is.
      checkServerIdentity: () => undefined,
    });
    const limit = setTimeout(() => {
      socket.destroy();
      reject(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' }));
    }, HANDSHAKE_MS);
    socket.once('error', reject);
    socket.once('close', () => clearTimeout(limit));
    socket.once('secureConnect', () => {
      clearTimeout(limit);
      socket.off('error', reject);
      socket.setNoDelay(true);
      resolve(socket);
    });
  });
}
