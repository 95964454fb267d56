import { z } from 'zod';

/**
 * What is needed of a server's answers and no more. The SDK's own schemas refuse a whole list for one odd tool and a
 * whole result for one odd block; a host that talks to other people's servers must be more patient.
 */
export const ToolPageSchema = z.looseObject({
  tools: z.array(z.unknown()),
  nextCursor: z.string().optional(),
});

export const ServerToolSchema = z.looseObject({
  name: z.string().min(1),
  description: z.string().optional(),
  inputSchema: z.record(z.string(), z.unknown()).optional(),
  annotations: z.looseObject({ readOnlyHint: z.boolean().optional() }).optional().catch(undefined),
});
export type ServerTool = z.infer<typeof ServerToolSchema>;

export const CallResultSchema = z.looseObject({
  content: z.array(z.looseObject({ type: z.string() })).optional(),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional(),
});
export type CallResult = z.infer<typeof CallResultSchema>;
