import type { AttachedFile } from './types.ts';

export const MAX_FILES = 20;
const MAX_BYTES = 1024 * 1024;
const MAX_NAME = 200;

/** The clipboard, as far as it matters here. */
interface PastedData {
  readonly files: Iterable<File>;
  readonly getData: (format: string) => string;
}

/** Reads a file that the user has chosen. Throws an Error, in words for the user, for one that is too large or not text. */
export async function readAttachment(file: File): Promise<AttachedFile> {
  const name = cleanName(file.name);
  if (file.size > MAX_BYTES) throw new Error(`${name} is larger than 1 MB`);
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Error(`${name} is not a text file in UTF-8`);
  }
  if (text.includes('\0')) throw new Error(`${name} is not a text file`);
  return { name, text: text.replaceAll('\r\n', '\n') };
}

/** The files of a paste. None where they are pictures of the text that comes with them, as office programs add them. */
export function pastedFiles({ files, getData }: PastedData): readonly File[] {
  const pasted = [...files];
  const pictures = pasted.every(({ type }) => type.startsWith('image/'));
  return pictures && getData('text/plain') !== '' ? [] : pasted;
}

/** On one line: it stands in the prompt. */
function cleanName(name: string): string {
  return name.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '').slice(0, MAX_NAME) || 'file';
}
