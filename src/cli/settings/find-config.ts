import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readTextFile } from '../../text/files/read-text-file.ts';
import { parseJsonWithComments } from '../../text/json/json-with-comments.ts';
import { isPlainObject } from '../../text/json/plain-object.ts';
import { nearest } from '../../text/nearest.ts';
import { APPLICATION_DIRECTORY, configDirectory, type Place } from '../process/app.ts';
import { configKeys } from './config-file.ts';

const MAX_BYTES = 4 * 1024 * 1024;

export interface FoundConfig {
  readonly path: string | undefined;
  /** It came with the working directory, whoever wrote it. */
  readonly project: boolean;
  readonly searched: readonly string[];
  /** Files of that name that belong to a model or another program. */
  readonly passedOver: readonly string[];
}

/** The first config.json of ours: working directory, the user's configuration folder, the application directory. */
export function findConfigFile(where: Place): FoundConfig {
  const ofUser = [configDirectory(where.env), APPLICATION_DIRECTORY].map(fileIn);
  const searched = [fileIn(where.cwd), ...ofUser];
  const passedOver: string[] = [];
  for (const path of searched.filter(candidate => existsSync(candidate))) {
    if (!isForeign(path)) return { path, project: !ofUser.includes(path), searched, passedOver };
    passedOver.push(path);
  }
  return { path: undefined, project: false, searched, passedOver };
}

const fileIn = (folder: string): string => join(folder, 'config.json');

export function passedOverNotice(path: string): string {
  return `${path} has none of llm-host's keys: passed over`;
}

/** Holds something, but neither a key of ours nor a misspelt SystemPrompt. A file that cannot be read is not foreign. */
function isForeign(path: string): boolean {
  let text: string;
  try {
    text = readTextFile(path, MAX_BYTES);
  } catch {
    // Whoever reads it in earnest reports why it cannot be read.
    return false;
  }
  const parsed = parseJsonWithComments(text);
  if (!parsed.ok || !isPlainObject(parsed.value)) return false;
  const keys = Object.keys(parsed.value);
  const ours = configKeys();
  return keys.length > 0 && !keys.some(key => ours.includes(key) || nearest(key, ['SystemPrompt']));
}
