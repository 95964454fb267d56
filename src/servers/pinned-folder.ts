import { confinedBy } from './confined-path.ts';

/**
 * Runs `work` with `folder` as the working folder of the process, for names without a path: whatever is moved or
 * linked meanwhile, they mean files of that folder, since a working folder is a place and not a name. Where it is, is
 * asked after the change into it. `work` must be synchronous, so that nothing else runs there. Throws ToolError when
 * the folder has become a link out of `root`, and Node's own errors.
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
