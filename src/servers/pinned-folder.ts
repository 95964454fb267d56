import { confinedBy } from './confined-path.ts';

/**
 * Runs `work` with `folder` as the process's working directory. File names without a path then mean files of that folder
 * whatever is moved or linked meanwhile: a working directory is an inode, not a name. Its path is checked after the
 * change. `work` must be synchronous, so nothing else runs there. Throws ToolError if the folder has become a link out
 * of `root`, and Node's errors.
 */
export function insideFolder<T>(root: string, folder: string, shown: string, work: () => T): T {
  const before = process.cwd();
  process.chdir(folder);
  try {
    confinedBy(root, process.cwd(), shown);
    return work();
  } finally {
    process.chdir(before);
  }
}
