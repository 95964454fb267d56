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

export const AnyResultSchema = z.looseObject({});

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

type Block = { readonly type: string; readonly [key: string]: unknown };

function isBlock(value: unknown): value is Block {
  return isPlainObject(value) && typeof value.type === 'string';
}

/** By hand, as the next two: zod takes a third of a second for the 130,000 blocks that a message may hold. */
function areBlocks(value: unknown): value is Block[] {
  return Array.isArray(value) && value.every(isBlock);
}

function areObjects(value: unknown): value is Record<string, unknown>[] {
  return Array.isArray(value) && value.every(isPlainObject);
}

interface PromptMessage {
  readonly role: string;
  readonly content: Block | Block[];
}

function areMessages(value: unknown): value is PromptMessage[] {
  return (
    areObjects(value) &&
    value.every(({ role, content }) => typeof role === 'string' && (isBlock(content) || areBlocks(content)))
  );
}

export const CallResultSchema = z.looseObject({
  content: z.custom<Block[]>(areBlocks, 'a list of blocks is expected, each with its type').optional(),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional(),
});
export type CallResult = z.infer<typeof CallResultSchema>;

export const ReadResultSchema = z.looseObject({
  contents: z.custom<Record<string, unknown>[]>(areObjects, 'a list of objects is expected'),
});

export const PromptResultSchema = z.looseObject({
  messages: z.custom<PromptMessage[]>(
    areMessages,
    'a list of messages is expected, each with role and content',
  ),
});
export type PromptResult = z.infer<typeof PromptResultSchema>;

/** The answer to a request as its schema reads it. Throws Error with what is wrong. */
export function readResult<S extends z.ZodType>(method: string, schema: S, answer: unknown): z.infer<S> {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  throw new Error(`Invalid result for ${method}: ${parsed.error.message}`);
}
