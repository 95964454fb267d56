import { expect, onTestFinished, test } from 'vitest';
import { McpHost } from '../../../src/mcp/host/mcp-host.ts';
import { OAuthStore } from '../../../src/mcp/oauth/store.ts';
import { httpEntry, listen } from '../../fixtures/mcp/http-servers.ts';
import { tempFolder } from '../../model/temp-folder.ts';

test("an entry's headers go to its own server, and not to the one that logs its users in", async () => {
  const logins = await listen((request, response) => {
    const { origin } = new URL(logins.url);
    const metadata = {
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
    };
    if (request.url === '/.well-known/oauth-authorization-server') response.end(JSON.stringify(metadata));
    else if (request.url === '/register') response.end('{"client_id": "registered", "redirect_uris": []}');
    else response.writeHead(404).end();
  });
  onTestFinished(() => logins.close());
  const server = await listen((request, response) => {
    const { origin } = new URL(server.url);
    const resource = { resource: `${origin}/mcp`, authorization_servers: [new URL(logins.url).origin] };
    if (request.url === '/.well-known/oauth-protected-resource/mcp') response.end(JSON.stringify(resource));
    else response.writeHead(request.url === '/mcp' ? 401 : 404).end();
  });
  onTestFinished(() => server.close());
  const host = new McpHost({
    configs: [
      httpEntry(server.url, { headers: { 'X-Api-Key': ' secret ', Accept: '*/*' }, localAccess: 'always' }),
    ],
    oauth: {
      store: new OAuthStore(tempFolder()),
      authorizer: {
        redirectUrl: 'http://127.0.0.1:1/callback',
        authorize: () => Promise.reject(new Error('no')),
      },
    },
  });
  onTestFinished(() => host.close());
  await host.start();
  const given = ({ requests }: typeof server) => [
    ...new Set(requests.map(({ headers }) => headers['x-api-key'])),
  ];
  expect(logins.requests.map(({ path }) => path)).toContain('/register');
  expect([given(server), given(logins)]).toEqual([['secret'], [undefined]]);
});
