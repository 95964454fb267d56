import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { TensorEntry } from '../../native/load-types.ts';
import { broken, unsupported } from '../../text/files/model-fault.ts';
import { type GgufHeader, type GgufMetadata, readGgufHeader } from './gguf.ts';

/** A model in one file or in several. */
export interface GgufParts {
  /** Absolute if `path` was. */
  readonly files: readonly string[];
  /** The first part's. */
  readonly metadata: GgufMetadata;
  /** llama.cpp's names. */
  readonly tensors: readonly TensorEntry[];
}

const PART = /^(.*)-(\d{5})-of-(\d{5})(\.gguf)$/i;
/** Missing parts that a message names. */
const NAMED = 5;

/** The name of a model in a GGUF file, whichever part it is. */
export const modelName = (path: string): string => basename(path).replace(/(-\d{5}-of-\d{5})?\.gguf$/i, '');

/**
 * Reads the headers of a GGUF file, and of all others of a split model, whichever part is named. Throws MODEL_BROKEN or
 * MODEL_UNSUPPORTED with the parts that are missing or of another model.
 */
export function readGgufParts(path: string): GgufParts {
  const named = readGgufHeader(path);
  const count = splitNumber(path, named, 'count', 1);
  const files = count > 1 ? partFiles(path, count) : [path];
  const headers = files.map((file, i) => {
    const header = file === path ? named : readGgufHeader(file);
    if (count > 1) checkPart(file, header, i, count);
    return header;
  });
  const tensors = headers.flatMap((header, file) => header.tensors.map(t => ({ ...t, file })));
  const first = headers[0] as GgufHeader;
  const expected = splitNumber(path, first, 'tensors.count', tensors.length);
  if (count > 1 && expected !== tensors.length) {
    throw broken(
      files[0] as string,
      `is broken: its ${count} parts hold ${tensors.length} tensors, not ${expected}`,
    );
  }
  checkNames(files, tensors);
  return { files, metadata: first.metadata, tensors };
}

function splitNumber(path: string, { metadata }: GgufHeader, key: string, missing: number): number {
  const value = metadata.get(`split.${key}`) ?? missing;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value;
  throw broken(path, `is broken: metadata split.${key} is not a count`);
}

/** All parts, beside the named one. */
function partFiles(path: string, count: number): string[] {
  const [, stem, , ofText, ending] = PART.exec(basename(path)) ?? [];
  if (stem === undefined || Number(ofText) !== count) {
    const first = `NAME-00001-of-${digits(count)}.gguf`;
    throw unsupported(
      path,
      `is one of ${count} parts of a model, and not named like one; name the parts ${first} and so on`,
    );
  }
  const names = Array.from(
    { length: count },
    (_, i) => `${stem}-${digits(i + 1)}-of-${digits(count)}${ending}`,
  );
  const missing = names.filter(name => !existsSync(join(dirname(path), name)));
  if (missing.length === 0) return names.map(name => join(dirname(path), name));
  const rest = missing.length > NAMED ? ` and ${missing.length - NAMED} more` : '';
  throw broken(
    path,
    `is one of ${count} parts; missing in its folder: ${missing.slice(0, NAMED).join(', ')}${rest}. Download them.`,
  );
}

const digits = (part: number): string => String(part).padStart(5, '0');

function checkPart(file: string, header: GgufHeader, index: number, count: number): void {
  const no = splitNumber(file, header, 'no', 0);
  const of = splitNumber(file, header, 'count', 1);
  if (no === index && of === count) return;
  throw broken(
    file,
    `is part ${no + 1} of ${of} by its metadata, not ${index + 1} of ${count} as its name says: it belongs to another model. Download it again.`,
  );
}

function checkNames(files: readonly string[], tensors: readonly TensorEntry[]): void {
  const where = new Map<string, number>();
  for (const { name, file } of tensors) {
    const other = where.get(name);
    if (other !== undefined) {
      const first = basename(files[other] as string);
      throw broken(
        files[file] as string,
        `has tensor ${name}, as ${first} does: they are of different models`,
      );
    }
    where.set(name, file);
  }
}
