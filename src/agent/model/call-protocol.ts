import type { TemplateCapability } from '../../chat/capability.ts';
import type { ToolDefinition } from '../../chat/message.ts';
import { createToolParser, endsInThinking } from '../../parse/create-tool-parser.ts';
import { hermes } from '../../parse/formats/json/hermes.ts';
import type { PromptStyle } from '../../parse/formats/prompt-style.ts';
import { formatOfTemplate } from '../../parse/formats/table.ts';
import type { CallFormatChoice } from '../../parse/types/call-format-choice.ts';
import type { ChatFormat } from '../../parse/types/format.ts';
import type { ReplyParser } from '../../parse/types/parse-event.ts';
import type { ReplyRequest, ToolChoice } from './chat-model.ts';
import { PromptStyleChoice } from './prompt-style-choice.ts';

export type ToolProtocol = 'auto' | 'native' | 'prompt';

export interface CallProtocolOptions {
  /** Overrides what the marks in the template say. */
  readonly toolCalls?: CallFormatChoice;
  /** `prompt`: describe tools in text even if the template takes them; `native`: never do. Default `auto`. */
  readonly toolProtocol?: ToolProtocol;
  /** For models without a call format of their own: a fixed style, or one chosen by trial. Default: generic. */
  readonly promptStyle?: PromptStyle | PromptStyleChoice;
}

/** How this model writes tool calls, and how they are read back. */
export class CallProtocol {
  readonly #template: string;
  readonly #options: CallProtocolOptions;

  /** `template`: source of the chat template, '' for a base model. */
  constructor(template: string, options: CallProtocolOptions) {
    this.#template = template;
    this.#options = options;
  }

  /** The model's own format; undefined if it has none or the prompt protocol is used instead. */
  get ownFormat(): ChatFormat | undefined {
    const { toolProtocol, toolCalls } = this.#options;
    if (toolProtocol === 'prompt') return undefined;
    return toolCalls?.format ?? formatOfTemplate(this.#template);
  }

  /** The prompt protocol's style. */
  get style(): PromptStyle {
    const { promptStyle = hermes } = this.#options;
    return promptStyle instanceof PromptStyleChoice ? promptStyle.style : promptStyle;
  }

  /** The format that replies are parsed by; undefined if the model's `response_template` does that. */
  get parsedFormat(): ChatFormat | undefined {
    return this.#parsedBy().format;
  }

  /** A call ran or was given up. Returns whether the style, and so the prompt, changes. */
  settle(worked: boolean): boolean {
    const { promptStyle } = this.#options;
    if (this.ownFormat || this.#parsedBy().responseTemplate) return false;
    return promptStyle instanceof PromptStyleChoice && promptStyle.settle(worked);
  }

  /** The capabilities of the template that the program relies on. */
  capability(can: TemplateCapability): TemplateCapability {
    const { toolProtocol } = this.#options;
    if (toolProtocol === 'prompt') return { ...can, rendersTools: false, rendersCalls: false };
    return toolProtocol === 'native' ? { ...can, rendersTools: true } : can;
  }

  writeCall(name: string, args: Readonly<Record<string, unknown>>): string {
    return (this.ownFormat ?? this.style).writeCalls([{ name, arguments: args }]);
  }

  /** A parser for one reply; `promptTail` is the end of its prompt. */
  parser({ messages, tools, text, readsCalls }: ReplyRequest, promptTail: string): ReplyParser {
    if (text !== undefined) return PLAIN_TEXT;
    return createToolParser({
      template: this.#template,
      ...this.#parsedBy(),
      tools,
      // With no tools left, a model that has called some is still told so.
      calls: tools.length > 0 || (readsCalls ?? messages.some(message => message.role === 'tool')),
      prompt: promptTail,
    });
  }

  /** The text that a call begins with; '' if the model is to call, or cannot. */
  callStart({ toolChoice = 'auto', tools, text }: ReplyRequest): string {
    if (toolChoice !== 'auto' || tools.length === 0 || text !== undefined) return '';
    if (this.#parsedBy().responseTemplate) return '';
    return forcedCall(this.ownFormat ?? this.style, 'required', []);
  }

  /** The text the reply is made to start with; '' leaves it to the model. */
  forcedStart({ toolChoice, tools, text }: ReplyRequest, promptTail: string): string {
    if (toolChoice === undefined || toolChoice === 'auto' || text !== undefined) return '';
    const format = this.ownFormat ?? this.style;
    // A call cannot start inside a thought, and a response template only says how to read one.
    if (this.#parsedBy().responseTemplate || endsInThinking(promptTail, format)) return '';
    return forcedCall(format, toolChoice, tools);
  }

  #parsedBy(): CallFormatChoice {
    const { toolCalls, toolProtocol } = this.#options;
    if (toolProtocol !== 'prompt' && toolCalls?.responseTemplate) return toolCalls;
    return { format: this.ownFormat ?? this.style };
  }
}

/** Passes everything through as content. */
const PLAIN_TEXT: ReplyParser = {
  push: text => (text === '' ? [] : [{ type: 'content', text }]),
  end: () => [],
};

/** A name no tool has, to find where a format puts the name. */
const NAME = 'tool_name_6e2f';
/** Characters that the model's next token is likely to start with. */
const NEXT = /[\s"{<]+$/;

/**
 * The start of a call in this format, up to the tool's name, or up to the arguments if the tool is given or the only
 * one. '' if the format cannot be cut there.
 */
function forcedCall(
  format: Pick<PromptStyle, 'writeCalls'>,
  choice: Exclude<ToolChoice, 'auto'>,
  tools: readonly ToolDefinition[],
): string {
  const only = tools.length === 1 ? tools[0]?.function.name : undefined;
  const name = choice === 'required' ? only : choice.name;
  const written = format.writeCalls([{ name: NAME, arguments: {} }]);
  const at = written.indexOf(NAME);
  if (at < 0) return '';
  if (name === undefined) return written.slice(0, at).replace(NEXT, '');
  const other = format.writeCalls([{ name: NAME, arguments: { a: 'b' } }]);
  let end = at + NAME.length;
  while (end < written.length && written[end] === other[end]) end += 1;
  return (written.slice(0, at) + name + written.slice(at + NAME.length, end)).replace(NEXT, '');
}
