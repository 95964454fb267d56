import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { readTextFile } from '../text/files/read-text-file.ts';
import { INDEX, isWholeWeights, shardNames } from './needed-files.ts';

const MAX_INDEX_BYTES = 256 * 1024 * 1024;
const TOKENIZERS = ['tokenizer.json', 'tokenizer.model', 'vocab.json', 'vocab.txt'];

/**
 * The files a snapshot lacks to be loaded, by its index; empty when it is complete. Other tools may keep only part of a
 * model, such as the tokenizer.
 */
export function missingFiles(snapshot: string): string[] {
  // existsSync is false for a link whose blob is gone.
  const has = (name: string) => existsSync(join(snapshot, name));
  const missing = has('config.json') ? [] : ['config.json'];
  if (has(INDEX)) missing.push(...indexed(join(snapshot, INDEX)).filter(name => !has(name)));
  else if (!readdirSync(snapshot).some(name => isWholeWeights(name) && has(name))) {
    missing.push('model.safetensors');
  }
  const noTokenizer = !TOKENIZERS.some(has) && !isKnownAbsent(snapshot, TOKENIZERS[0] as string);
  return noTokenizer ? [...missing, TOKENIZERS[0] as string] : missing;
}

function indexed(path: string): string[] {
  try {
    const names = shardNames(JSON.parse(readTextFile(path, MAX_INDEX_BYTES)));
    return names.length > 0 ? names : ['model.safetensors'];
  } catch {
    // Loading the model reports the problem with line and column.
    return [];
  }
}

/** Where Python's tools and this program note the files a repository lacks. */
export function absentPath(snapshot: string, name: string): string {
  return join(dirname(dirname(snapshot)), '.no_exist', basename(snapshot), name);
}

const isKnownAbsent = (snapshot: string, name: string): boolean => existsSync(absentPath(snapshot, name));
