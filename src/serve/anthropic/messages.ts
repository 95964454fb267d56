import type { Message, ToolCall } from '../../chat/message.ts';
import { isPlainObject } from '../../text/json/plain-object.ts';
import { badRequest } from '../http/api-error.ts';
import { joinSystem } from '../openai/messages.ts';

interface GivenMessage {
  readonly role: 'user' | 'assistant' | 'system';
  readonly content?: unknown;
}

/** Claude Code's first block of the system prompt, new in each request: with it no prompt begins as the one before. */
const BILLING = 'x-anthropic-billing-header:';

/** Anthropic's messages in the shape that templates expect. Throws ApiError 400. */
export function toMessages(messages: readonly GivenMessage[], system: unknown): Message[] {
  const reader = new MessageReader();
  messages.forEach((message, index) => {
    reader.read(message, `messages[${index}]`);
  });
  reader.endReply();
  if (reader.messages.at(-1)?.role === 'assistant')
    throw badRequest('messages: the last one must be of the user; a reply cannot be begun here', 'messages');
  const instructions = blocksOf(system ?? [], 'system').filter(
    ({ text }) => !(typeof text === 'string' && text.startsWith(BILLING)),
  );
  return joinSystem([{ role: 'system', content: textOfBlocks(instructions, 'system') }, ...reader.messages]);
}

type Placed = readonly [block: Block, at: string];

/**
 * Results are blocks of the user there, and messages of their own here. Messages of the same side are one, as in the API: many
 * templates take only sides that alternate.
 */
class MessageReader {
  readonly messages: Message[] = [];
  /** Names of the tools called so far, by the call's id. */
  readonly #names = new Map<string, string>();
  /** The assistant's messages since another role's last one. */
  #reply: Placed[] | undefined;

  read({ role, content }: GivenMessage, at: string): void {
    const path = `${at}.content`;
    const blocks = blocksOf(content, path).map((block, index) => [block, `${path}[${index}]`] as const);
    if (role === 'assistant') {
      this.#reply ??= [];
      for (const block of blocks) this.#reply.push(block);
      return;
    }
    this.endReply();
    for (const [block, where] of blocks) if (block.type === 'tool_result') this.#result(block, where);
    const said = blocks.filter(([{ type }]) => type !== 'tool_result' && type !== 'mid_conv_system');
    const text = said.map(([block, where]) => textOfBlock(block, where)).join('\n');
    if (said.length > 0) this.#say(role, text);
    for (const [block, where] of blocks)
      if (block.type === 'mid_conv_system')
        this.#say('system', textOfBlocks(block.content, `${where}.content`));
  }

  endReply(): void {
    if (this.#reply) this.#assistant(this.#reply);
    this.#reply = undefined;
  }

  #say(role: 'user' | 'system', content: string): void {
    const last = this.messages.at(-1);
    if (last?.role !== role) this.messages.push({ role, content });
    else this.messages[this.messages.length - 1] = { role, content: `${last.content}\n\n${content}` };
  }

  #assistant(blocks: readonly Placed[]): void {
    const thinking: string[] = [];
    const texts: string[] = [];
    const calls: ToolCall[] = [];
    for (const [block, at] of blocks) {
      if (block.type === 'thinking') thinking.push(textField(block, 'thinking', at));
      else if (block.type === 'tool_use') calls.push(this.#call(block, at));
      else if (block.type !== 'redacted_thinking') texts.push(textOfBlock(block, at));
    }
    this.messages.push({
      role: 'assistant',
      content: texts.join('\n'),
      ...(thinking.length > 0 && { reasoning_content: thinking.join('\n') }),
      ...(calls.length > 0 && { tool_calls: calls }),
    });
  }

  #call(block: Block, at: string): ToolCall {
    const [id, name] = [textField(block, 'id', at), textField(block, 'name', at)];
    const { input } = block;
    if (!isPlainObject(input)) throw badRequest(`${at}.input: must be an object`, `${at}.input`);
    this.#names.set(id, name);
    return { id, type: 'function', function: { name, arguments: input } };
  }

  #result(block: Block, at: string): void {
    const id = textField(block, 'tool_use_id', at);
    const name = this.#names.get(id);
    if (name === undefined)
      throw badRequest(`${at}: tool_use_id '${id}' answers no tool_use before it`, `${at}.tool_use_id`);
    const { content, is_error: failed = false } = block;
    if (typeof failed !== 'boolean')
      throw badRequest(`${at}.is_error: must be true or false`, `${at}.is_error`);
    const text = content == null ? '' : textOfBlocks(content, `${at}.content`);
    const told = failed && !text.startsWith('Error') ? `Error: ${text}` : text;
    this.messages.push({ role: 'tool', content: told, tool_call_id: id, name });
  }
}

/** A content block of which only the type is known. */
type Block = Readonly<Record<string, unknown>> & { readonly type: string };

/** A text is one block. Throws ApiError 400 for what is neither text nor blocks. */
function blocksOf(content: unknown, at: string): readonly Block[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!Array.isArray(content)) throw badRequest(`${at}: must be a text or a list of blocks`, at);
  return content.map((block: unknown, index) => {
    if (isPlainObject(block) && typeof block.type === 'string') return block as Block;
    throw badRequest(`${at}[${index}]: must be a block with a type`, `${at}[${index}]`);
  });
}

/** The text of all blocks, one per line. Throws ApiError 400 for a block without text. */
function textOfBlocks(content: unknown, at: string): string {
  return blocksOf(content, at)
    .map((block, index) => textOfBlock(block, `${at}[${index}]`))
    .join('\n');
}

function textOfBlock(block: Block, at: string): string {
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
function textField(block: Block, name: string, at: string): string {
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
