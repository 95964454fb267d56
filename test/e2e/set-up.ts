import { spawnSync } from 'node:child_process';
import { ROOT } from './program.ts';

/** True when the checkout is as `npm test` leaves it: else its own scripts would compile for minutes. */
export const isSetUp = (): boolean => {
  const script = `import { nativeReady } from './scripts/build/native.mjs';
    import { distReady } from './scripts/build/typescript.mjs';
    process.exitCode = nativeReady() && distReady() ? 0 : 1;`;
  return spawnSync(process.execPath, ['--input-type=module', '-e', script], { cwd: ROOT }).status === 0;
};
