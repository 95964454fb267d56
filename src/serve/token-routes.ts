import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { tokenPiece } from '../tokens/token-piece.ts';
import type { Tokenizer } from '../tokens/tokenizer-types.ts';
import { ApiError, badRequest } from './http/api-error.ts';
import { readBody } from './http/body-fields.ts';
import { leaseModel } from './http/lease-model.ts';
import type { ServeContext } from './http/serve-context.ts';

/** Both are read with every stream at rest. */
const MAX_CHARS = 1_000_000;
const MAX_IDS = 250_000;

/** llama.cpp's fields, and vLLM's. */
const tokenizeBody = z.looseObject({
  model: z.string().nullish(),
  content: z.string().nullish(),
  prompt: z.string().nullish(),
  add_special: z.boolean().nullish(),
  add_special_tokens: z.boolean().nullish(),
  parse_special: z.boolean().nullish(),
  with_pieces: z.boolean().nullish(),
  return_token_strs: z.boolean().nullish(),
});

const detokenizeBody = z.looseObject({ model: z.string().nullish(), tokens: z.unknown().optional() });

/** /tokenize and /detokenize, as llama.cpp's server and vLLM have them. */
export function tokenRoutes(app: FastifyInstance, context: ServeContext): void {
  app.post('/v1/tokenize', async (request, reply) => {
    const body = readBody(tokenizeBody, request.body);
    const used = await leaseModel(context, request, reply, body.model);
    const tokenizer = tokenizerOf(used);
    const tokens = encode(tokenizer, body);
    const pieces =
      body.with_pieces === true ? tokens.map(id => ({ id, piece: pieceOf(tokenizer, id) })) : tokens;
    return {
      tokens: pieces,
      count: tokens.length,
      max_model_len: used.model.contextLength,
      ...(body.return_token_strs === true && {
        token_strs: tokens.map(id => tokenPiece(tokenizer, id).token),
      }),
    };
  });
  app.post('/v1/detokenize', async (request, reply) => {
    const body = readBody(detokenizeBody, request.body);
    const used = await leaseModel(context, request, reply, body.model);
    const text = decode(tokenizerOf(used), body.tokens);
    return { content: text, prompt: text };
  });
}

function tokenizerOf({ tokenizer }: ServeContext): Tokenizer {
  if (tokenizer) return tokenizer;
  throw new ApiError(501, 'This model runs elsewhere; its tokenizer is not here', { code: 'not_supported' });
}

/**
 * The defaults are those of the server whose field the text is in: vLLM begins with BOS, llama.cpp does not. Both do
 * only with a model whose own tokenizer does.
 */
function encode(tokenizer: Tokenizer, body: z.infer<typeof tokenizeBody>): number[] {
  const { content, prompt } = body;
  const text = content ?? prompt;
  if (text == null) throw badRequest('content: give a text as content or prompt', 'content');
  const name = content == null ? 'prompt' : 'content';
  if (text.length > MAX_CHARS) throw badRequest(`${name}: more than ${MAX_CHARS} characters`, name);
  const asked = body.add_special ?? body.add_special_tokens ?? content == null;
  const begins = asked && tokenizer.addsBos !== false;
  const bos = begins && tokenizer.bosToken !== undefined ? tokenizer.idOf(tokenizer.bosToken) : undefined;
  const ids = tokenizer.encode(text, { special: body.parse_special ?? true });
  return bos === undefined ? ids : [bos, ...ids];
}

/** By hand: zod takes a second for a million ids. */
function decode(tokenizer: Tokenizer, tokens: unknown): string {
  if (!Array.isArray(tokens)) throw badRequest('tokens: must be a list of token ids', 'tokens');
  if (tokens.length > MAX_IDS) throw badRequest(`tokens: more than ${MAX_IDS}`, 'tokens');
  const unknown = tokens.find(id => !Number.isInteger(id) || id < 0 || id >= tokenizer.vocabSize);
  if (unknown === undefined) return tokenizer.decode(tokens);
  const last = tokenizer.vocabSize - 1;
  throw badRequest(
    `tokens: each must be a token id from 0 to ${last}, got ${JSON.stringify(unknown)}`,
    'tokens',
  );
}

/** A text, or the bytes of a part of a character, as llama.cpp gives them. */
function pieceOf(tokenizer: Tokenizer, id: number): string | readonly number[] {
  const bytes = tokenizer.bytesOf?.(id);
  if (bytes === undefined) return tokenizer.decode([id]);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return [...bytes];
  }
}
