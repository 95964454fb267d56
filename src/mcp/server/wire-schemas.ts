import { z } from 'zod';
import { isPlainObject } from '../../text/json/plain-object.ts';

/**
 * Only what we need from a server's results. The SDK's schemas reject a whole list for one odd tool, and a whole
 * result for one odd block; a host for other people's servers must be more lenient.
 */
export const PageSchema = z.looseObject({
  nextCursor: z.string().optional(),
  /** How long the server calls it fresh. */
  ttlMs: z.number().optional().catch(undefined),
});

const title = z.string().optional().catch(undefined);

export const ServerToolSchema = z.looseObject({
  name: z.string().min(1),
  title,
  description: z.string().optional().catch(undefined),
  inputSchema: z.record(z.string(), z.unknown()).optional(),
  annotations: z
    .looseObject({
      title,
      readOnlyHint: z.boolean().optional().catch(undefined),
      destructiveHint: z.boolean().optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
  execution: z.looseObject({ taskSupport: z.string().optional() }).optional().catch(undefined),
});
export type ServerTool = z.infer<typeof ServerToolSchema>;

export const ServerPromptSchema = z.looseObject({
  name: z.string().min(1),
  title,
  description: z.string().optional().catch(undefined),
  arguments: z
    .array(
      z.looseObject({
        name: z.string().min(1),
        description: z.string().optional().catch(undefined),
        required: z.boolean().optional().catch(undefined),
      }),
    )
    .optional()
    .catch(undefined),
});
export type ServerPrompt = z.infer<typeof ServerPromptSchema>;

export const ServerResourceSchema = z.looseObject({
  uri: z.string().min(1),
  title,
  name: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  mimeType: z.string().optional().catch(undefined),
});
export type ServerResource = z.infer<typeof ServerResourceSchema>;

export const ResourceTemplateSchema = z.looseObject({
  uriTemplate: z.string().min(1),
  title,
  name: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
});
export type ResourceTemplate = z.infer<typeof ResourceTemplateSchema>;

const BlockSchema = z.looseObject({ type: z.string() });
type Block = z.infer<typeof BlockSchema>;

/** By hand: zod takes a third of a second for the 130,000 blocks that a message may hold. */
function areBlocks(value: unknown): value is Block[] {
  return Array.isArray(value) && value.every(block => isPlainObject(block) && typeof block.type === 'string');
}

export const CallResultSchema = z.looseObject({
  content: z.custom<Block[]>(areBlocks).optional(),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional(),
});
export type CallResult = z.infer<typeof CallResultSchema>;

export const ReadResultSchema = z.looseObject({ contents: z.array(z.looseObject({})) });

export const PromptResultSchema = z.looseObject({
  messages: z.array(
    z.looseObject({ role: z.string(), content: z.union([BlockSchema, z.array(BlockSchema)]) }),
  ),
});
export type PromptResult = z.infer<typeof PromptResultSchema>;
