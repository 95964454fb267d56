import { z } from 'zod';
import { Deadline } from '../server/deadline.ts';
import { isCleanName, TEXT_LIMITS } from '../server/incoming-text.ts';
import type { ManagedServer } from '../server/managed-server.ts';
import type { CompletionRequest } from '../tool-host.ts';

const LIMIT_MS = 3000;
/** As the protocol has it. */
const MAX_VALUES = 100;

const CompletionSchema = z.looseObject({
  completion: z.looseObject({ values: z.array(z.unknown()).catch([]) }),
});

/**
 * Asks a server for values that an argument may have. A value that hides something, or is no short text on one line, is
 * left out. Empty if the server does not complete, does not answer within 3 s, or `signal` aborts.
 */
export async function completeArgument(
  server: ManagedServer,
  { ref, argument, context }: CompletionRequest,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (server.state.state !== 'ready' || signal.aborted) return [];
  const deadline = new Deadline(LIMIT_MS, { signal });
  try {
    const connection = await deadline.race(server.connection());
    if (!connection.completes) return [];
    const params = {
      ref,
      argument,
      ...(Object.keys(context).length > 0 && { context: { arguments: context } }),
    };
    const { completion } = await connection.ask('completion/complete', params, CompletionSchema, {
      signal: deadline.signal,
    });
    const fit = completion.values.filter(
      (value): value is string =>
        typeof value === 'string' && value !== '' && isCleanName(value, TEXT_LIMITS.name),
    );
    return [...new Set(fit)].slice(0, MAX_VALUES);
  } catch {
    // Whoever types is not to be told of each.
    return [];
  } finally {
    deadline.dispose();
  }
}
