import type { Message, ToolCall } from '../../chat/message.ts';
import { isPlainObject } from '../../text/json/plain-object.ts';
import { badRequest } from '../http/api-error.ts';
import { joinSystem } from '../openai/messages.ts';
import { type Block, blocksOf, textField, textOfBlock, textOfBlocks } from './blocks.ts';

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
