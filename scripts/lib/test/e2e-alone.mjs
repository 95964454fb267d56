/**
 * Of test/e2e, what measures times, follows a screen frame by frame, drives a browser, or works in the checkout itself: one
 * file after another, with the machine to itself. The others have folders, homes and ports of their own and run two at a time.
 */
export const ALONE = [
  'test/e2e/approval.test.ts',
  'test/e2e/bench.test.ts',
  'test/e2e/blocked.test.ts',
  'test/e2e/documented-commands.test.ts',
  'test/e2e/hostile-server.test.ts',
  'test/e2e/machine-cable.test.ts',
  'test/e2e/machine-faults.test.ts',
  'test/e2e/machine-refusals.test.ts',
  'test/e2e/page',
  'test/e2e/screen-sharing.test.ts',
  'test/e2e/screen.test.ts',
  'test/e2e/terminal.test.ts',
];
