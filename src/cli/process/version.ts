import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { APPLICATION_DIRECTORY } from './folders.ts';

/** The version in package.json. */
export const VERSION: string = (
  JSON.parse(readFileSync(join(APPLICATION_DIRECTORY, 'package.json'), 'utf8')) as { version: string }
).version;

/** How this program introduces itself to MCP servers. */
export const CLIENT_INFO = { name: 'llm-host', version: VERSION } as const;
