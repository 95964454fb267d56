import { messageOf } from '../errors.ts';
import { HubFailure } from './hub-failure.ts';

/** Runs something that writes below `folder` and explains its failures. Throws HubFailure. */
export async function onDisk<T>(folder: string, work: () => Promise<T> | T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw diskFailure(error, folder);
  }
}

const ELSEWHERE = 'Set HF_HUB_CACHE to a writable folder.';

function diskFailure(error: unknown, folder: string): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall === undefined) return error;
  if (code === 'ENOSPC' || code === 'EDQUOT') return diskFull(`${folder} has no space left (${code})`, error);
  if (code === 'EROFS' || code === 'EACCES' || code === 'EPERM') {
    const why = code === 'EROFS' ? 'it is on a read-only file system' : code;
    return new HubFailure(`The cache folder ${folder} cannot be written: ${why}.`, {
      advice: ELSEWHERE,
      cause: error,
    });
  }
  return new HubFailure(`The cache folder ${folder} cannot be used: ${messageOf(error)}.`, {
    advice: ELSEWHERE,
    cause: error,
  });
}

/** `what` is a sentence without its full stop. */
export function diskFull(what: string, cause?: unknown): HubFailure {
  return new HubFailure(`The disk is full: ${what}.`, {
    advice:
      'Free some (`llm-host list` shows the models here, `llm-host rm` removes one), or set HF_HUB_CACHE to another disk. What is downloaded is kept.',
    cause,
  });
}
