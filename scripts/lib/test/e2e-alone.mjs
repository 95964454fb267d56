/**
 * Of test/e2e, what measures times, follows a screen frame by frame, drives a browser, or works in the checkout itself: one
 * file after another, with the machine to itself. The others have folders, homes and ports of their own and run two at a time.
 */
export const ALONE = [
  'test/e2e/cli/blocked.test.ts',
  'test/e2e/docs/documented-commands.test.ts',
  'test/e2e/engine/bench.test.ts',
  'test/e2e/mcp/approval.test.ts',
  'test/e2e/mcp/hostile-server.test.ts',
  'test/e2e/page',
  'test/e2e/tui/screen-sharing.test.ts',
  'test/e2e/tui/screen.test.ts',
  'test/e2e/tui/terminal.test.ts',
];

/** These wait for limits of time, of which they use little: two at a time, but without the others, which need both cores. */
export const MACHINES = [
  'test/e2e/cli/closing.test.ts',
  'test/e2e/distributed/machine-cable.test.ts',
  'test/e2e/distributed/machine-faults.test.ts',
  'test/e2e/distributed/machine-refusals.test.ts',
];
