import { isPlainObject } from '../../text/json/plain-object.ts';
import { badRequest } from '../http/api-error.ts';

/** A content block of which only the type is known. */
export type Block = Readonly<Record<string, unknown>> & { readonly type: string };

/** A text is one block. Throws ApiError 400 for what is neither text nor blocks. */
export function blocksOf(content: unknown, at: string): readonly Block[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!Array.isArray(content)) throw badRequest(`${at}: must be a text or a list of blocks`, at);
  return content.map((block: unknown, index) => {
    if (isPlainObject(block) && typeof block.type === 'string') return block as Block;
    throw badRequest(`${at}[${index}]: must be a block with a type`, `${at}[${index}]`);
  });
}

/** The text of all blocks, one per line. Throws ApiError 400 for a block without text. */
export function textOfBlocks(content: unknown, at: string): string {
  return blocksOf(content, at)
    .map((block, index) => textOfBlock(block, `${at}[${index}]`))
    .join('\n');
}

export function textOfBlock(block: Block, at: string): string {
  switch (block.type) {
    case 'text':
      return textField(block, 'text', at);
    case 'search_result':
      return [block.title, block.source, textOfBlocks(block.content, `${at}.content`)]
        .filter(isText)
        .join('\n');
    case 'document':
      return [block.title, block.context, textOfSource(block.source, `${at}.source`)]
        .filter(isText)
        .join('\n');
    case 'tool_reference':
      return textField(block, 'tool_name', at);
    case 'image':
      throw badRequest(`${at}: images cannot be read; this model takes text`, at);
    default:
      throw badRequest(`${at}: blocks of type '${block.type}' cannot be read here`, `${at}.type`);
  }
}

/** A field that must be a text. */
export function textField(block: Block, name: string, at: string): string {
  const value = block[name];
  if (typeof value === 'string') return value;
  throw badRequest(`${at}.${name}: must be a text`, `${at}.${name}`);
}

/** The text of a document: plain, or blocks. */
function textOfSource(source: unknown, at: string): string {
  const [from] = blocksOf([source], at);
  if (from?.type === 'text') return textField(from, 'data', at);
  if (from?.type === 'content') return textOfBlocks(from.content, `${at}.content`);
  throw badRequest(`${at}: only documents of plain text can be read here`, `${at}.type`);
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
