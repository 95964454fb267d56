import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Listening, listen } from '../fixtures/mcp/http-servers.ts';

const SCOPE = '@llm-host/';

/**
 * A registry that has the packages of a folder (*.tgz); who asks for others is sent to the one behind it, whose address
 * ends with a slash.
 */
export async function registry(folder: string, behind: string): Promise<Listening> {
  const files = readdirSync(folder).filter(name => name.endsWith('.tgz'));
  const packages = new Map(files.map(name => [manifestOf(join(folder, name)).name, name]));
  const own: Listening = await listen((request, response) => {
    const path = decodeURIComponent(request.url ?? '').slice(1);
    const file = packages.get(path);
    if (file !== undefined)
      response.end(JSON.stringify(packument(join(folder, file), `${origin()}/-/${file}`)));
    else if (path.startsWith('-/')) createReadStream(join(folder, path.slice(2))).pipe(response);
    else if (path.startsWith(SCOPE)) response.writeHead(404).end('{}');
    else response.writeHead(302, { location: `${behind}${request.url?.slice(1)}` }).end();
  });
  const origin = () => new URL(own.url).origin;
  return own;
}

function packument(file: string, tarball: string): object {
  const manifest = manifestOf(file);
  const integrity = `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`;
  const version = { ...manifest, dist: { tarball, integrity } };
  return {
    name: manifest.name,
    'dist-tags': { latest: manifest.version },
    versions: { [manifest.version]: version },
  };
}

const manifestOf = (file: string): { name: string; version: string } =>
  JSON.parse(execFileSync('tar', ['-xzOf', file, 'package/package.json'], { encoding: 'utf8' }));
