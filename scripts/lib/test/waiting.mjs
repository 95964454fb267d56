/**
 * What mostly waits, for limits of time and for programs that answer late, and whose own limits are far from what it takes:
 * one file after another, beside the files that compute.
 */
export const WAITING = [
  'test/mcp/faults.test.ts',
  'test/mcp/server/hung-server.test.ts',
  'test/mcp/server/slow-start.test.ts',
  'test/mcp/tasks.test.ts',
  'test/mcp/transport/lost-streams.test.ts',
  'test/serve/http/client-faults.test.ts',
  'test/serve/http/response-stream.test.ts',
  'test/serve/http/slow-clients.test.ts',
];
