import { adaptConversation } from '../../chat/adapt.ts';
import type { TemplateCapability } from '../../chat/capability.ts';
import type { Message, ToolDefinition } from '../../chat/message.ts';
import { RenderableTools } from '../../chat/renderable-tools.ts';
import { type ChatTemplate, renderSegments } from '../../chat/template.ts';
import { type ThinkingSetting, withThinkingWord } from '../../chat/thinking-switch.ts';
import { LlmHostError } from '../../errors.ts';
import { estimatedTokens } from '../../tokens/estimated-tokens.ts';
import type { PromptSegment, Tokenizer } from '../../tokens/tokenizer-types.ts';
import type { CallProtocol } from './call-protocol.ts';
import type { PromptRequest, ThinkingOutcome } from './chat-model.ts';
import { checkToolSizes } from './tool-size.ts';

export interface PreparedTemplate {
  readonly compiled: ChatTemplate;
  readonly source: string;
  readonly capability: TemplateCapability;
}

export interface PromptBuilderParts {
  readonly tokenizer: Tokenizer;
  readonly engine: { readonly info: { readonly contextLength: number } };
  /** undefined: a base model; the last user message is completed as it stands. */
  readonly template: PreparedTemplate | undefined;
  /** One clock reading for the whole session, so that a template that prints the date stays a stable prefix. */
  readonly now: Date;
}

export interface Prompt {
  readonly request: PromptRequest;
  readonly segments: readonly PromptSegment[];
  /** Empty if the prompt is far too long. */
  readonly ids: readonly number[];
  /** Estimated if the prompt is far too long. */
  readonly tokens: number;
}

/** Renders and tokenizes prompts. One that was counted before its reply is not rendered again. */
export class PromptBuilder {
  readonly #parts: PromptBuilderParts;
  readonly #protocol: CallProtocol;
  readonly #renderable: RenderableTools | undefined;
  #thinking: ThinkingSetting = { variables: {} };
  /** By message list, which its owner must not change. Each is taken out by its reply. */
  #counted = new WeakMap<readonly Message[], Prompt>();
  /** The ids that all prompts with the system message, tools and thinking of `key` start with. */
  #system: { readonly key: string; readonly ids: readonly number[] } | undefined;

  constructor(parts: PromptBuilderParts, protocol: CallProtocol) {
    this.#parts = parts;
    this.#protocol = protocol;
    const { bosToken, eosToken } = parts.tokenizer;
    if (parts.template)
      this.#renderable = new RenderableTools(parts.template.compiled, { bosToken, eosToken });
  }

  /** Keeps the prompt for the reply that is likely to follow. */
  count(request: PromptRequest): number {
    const known = this.#known(request);
    if (known) return known.tokens;
    const prompt = this.#build(request);
    if (request.text === undefined) this.#counted.set(request.messages, prompt);
    return prompt.tokens;
  }

  take(request: PromptRequest): Prompt {
    const known = this.#known(request);
    this.#counted.delete(request.messages);
    return known ?? this.#build(request);
  }

  setThinking(on: boolean): ThinkingOutcome {
    const found = this.#parts.template?.capability.thinking;
    if (!found) return 'none';
    this.#thinking = on ? found.on : found.off;
    this.forget();
    return on || found.stops ? 'done' : 'less';
  }

  /** Prompts look different from now on. */
  forget(): void {
    this.#counted = new WeakMap();
    this.#system = undefined;
  }

  /** Where a model that cannot go back to an arbitrary token should keep its state. */
  checkpoints(prompt: Prompt): readonly number[] {
    const { template, tokenizer } = this.#parts;
    if (!template || prompt.request.text !== undefined) return [];
    const system = this.#systemIds(prompt.request);
    return promptCheckpoints(prompt, system, parts => tokenizer.encodeSegments(parts));
  }

  /** How many of its first tokens every prompt with the same system message and tools has. */
  sharedTokens({ request, ids }: Prompt): number {
    if (!this.#parts.template || request.text !== undefined) return 0;
    return commonLength(ids, this.#systemIds(request));
  }

  #systemIds(request: PromptRequest): readonly number[] {
    const { messages, tools, listed = tools, thinking } = request;
    const system = messages[0]?.role === 'system' ? messages[0].content : '';
    const key = JSON.stringify([system, listed, thinking]);
    if (this.#system?.key !== key) {
      const prompt = (others: readonly Message[]) =>
        this.#parts.tokenizer.encodeSegments(this.#render({ ...request, messages: others }));
      this.#system = { key, ids: systemPrefix(messages, prompt) };
    }
    return this.#system.ids;
  }

  #known(request: PromptRequest): Prompt | undefined {
    if (request.text !== undefined) return undefined;
    const found = this.#counted.get(request.messages);
    const same =
      found?.request.thinking === request.thinking &&
      sameItems(found && listedOf(found.request), listedOf(request));
    return same ? found : undefined;
  }

  /** @throws LlmHostError USAGE for a tool that is too large */
  #build(request: PromptRequest): Prompt {
    checkToolSizes(listedOf(request));
    const { tokenizer, engine } = this.#parts;
    const segments = this.#render(request);
    const estimate =
      request.textIds === undefined
        ? estimatedTokens(tokenizer, segments, engine.info.contextLength)
        : undefined;
    if (estimate !== undefined) return { request, segments: [], ids: [], tokens: estimate };
    const ids = request.textIds ?? [...this.#firstIds(request), ...tokenizer.encodeSegments(segments)];
    return { request, segments, ids, tokens: ids.length };
  }

  #render(request: PromptRequest): readonly PromptSegment[] {
    const { template } = this.#parts;
    if (request.text !== undefined) return this.#plainText(request.text);
    if (!template) return this.#plainText(lastUserText(request.messages));
    try {
      return this.#rendered(request, template);
    } catch (error) {
      const failed = error instanceof LlmHostError && error.code === 'TEMPLATE';
      if (!failed || !this.#renderable?.learn(listedOf(request))) throw error;
      return this.#rendered(request, template);
    }
  }

  #rendered(request: PromptRequest, template: PreparedTemplate): readonly PromptSegment[] {
    const { tokenizer, now } = this.#parts;
    const setting = this.#thinkingSetting(request.thinking);
    const adapted = adaptConversation(
      withThinkingWord(request.messages, setting),
      listedOf(request),
      this.#protocol.capability(template.capability),
      this.#protocol.ownFormat,
      this.#protocol.style,
    );
    return renderSegments(template.compiled, {
      ...setting.variables,
      messages: adapted.messages,
      tools: this.#renderable?.of(adapted.tools),
      addGenerationPrompt: true,
      bosToken: tokenizer.bosToken,
      eosToken: tokenizer.eosToken,
      now,
    });
  }

  /** Ahead of what the text is encoded to, so that SentencePiece still sees its start. */
  #firstIds({ text }: PromptRequest): readonly number[] {
    const bos = this.#parts.template && text === undefined ? undefined : this.#bosOfTexts;
    return bos ? [bos.id] : [];
  }

  #thinkingSetting(thinking: boolean | undefined): ThinkingSetting {
    const found = this.#parts.template?.capability.thinking;
    if (thinking === undefined || !found) return this.#thinking;
    return thinking ? found.on : found.off;
  }

  /** Without a BOS that it begins with: that is the one it gets. */
  #plainText(text: string): PromptSegment[] {
    const bos = this.#bosOfTexts;
    return [{ text: bos && text.startsWith(bos.text) ? text.slice(bos.text.length) : text, special: false }];
  }

  /** The beginning of a text that no template renders: BOS, if the model's tokenizer adds it, as in the peers. */
  get #bosOfTexts(): { readonly text: string; readonly id: number } | undefined {
    const { template, tokenizer } = this.#parts;
    const { bosToken: text, addsBos = template?.source.includes('bos_token') === true } = tokenizer;
    const id = text === undefined || !addsBos ? undefined : tokenizer.idOf(text);
    return text === undefined || id === undefined ? undefined : { text, id };
  }
}

function listedOf({ tools, listed = tools }: PromptRequest): readonly ToolDefinition[] {
  return listed;
}

function sameItems(
  a: readonly ToolDefinition[] | undefined,
  b: readonly ToolDefinition[] | undefined,
): boolean {
  if (a === b) return true;
  return a !== undefined && a.length === b?.length && a.every((tool, index) => tool === b[index]);
}

function lastUserText(messages: readonly Message[]): string {
  return messages.findLast(message => message.role === 'user')?.content ?? '';
}

/** Tokens between two places of an older message: each ends a step of reading. */
const LEAST_GAP = 256;

/**
 * The places where later prompts are likely to branch off: the end of the system message, which every new conversation
 * shares; the end of the last message, before the generation prompt (the next turn has the reply there, perhaps not token
 * for token as it was generated, or without its thoughts); the one before it, if the last message is edited; and some
 * further back. Prefix lengths, ascending.
 */
function promptCheckpoints(
  prompt: { readonly ids: readonly number[]; readonly segments: readonly PromptSegment[] },
  systemIds: readonly number[],
  encode: (segments: readonly PromptSegment[]) => readonly number[],
): number[] {
  const { ids, segments } = prompt;
  const history = segments.at(-1)?.special ? segments.slice(0, -1) : [];
  const ends = contentEnds(ids, history, encode);
  const last = ends.whole ? [] : [commonLength(ids, encode(history))];
  const places = [commonLength(ids, systemIds), ...last, ...spread(ends.lengths)];
  return [...new Set(places)].filter(place => place > 0).sort((a, b) => a - b);
}

/**
 * Where contents end. Each piece is tokenized alone, so that a long history is tokenized once and not for every message;
 * `whole` is false where tokens go across such an end, and further ones are not known.
 */
function contentEnds(
  ids: readonly number[],
  segments: readonly PromptSegment[],
  encode: (segments: readonly PromptSegment[]) => readonly number[],
): { readonly lengths: readonly number[]; readonly whole: boolean } {
  const lengths: number[] = [];
  let length = 0;
  let from = 0;
  for (const [index, { special }] of segments.entries()) {
    if (special || segments[index + 1]?.special === false) continue;
    const piece = encode(segments.slice(from, index + 1));
    if (!piece.every((id, place) => ids[length + place] === id)) return { lengths, whole: false };
    length += piece.length;
    lengths.push(length);
    from = index + 1;
  }
  return { lengths, whole: from > 0 && from === segments.length };
}

/** The last two, and those before them with some distance. */
function spread(lengths: readonly number[]): number[] {
  const chosen: number[] = [];
  for (const length of lengths.toReversed()) {
    if (chosen.length < 2 || (chosen.at(-1) as number) - length >= LEAST_GAP) chosen.push(length);
  }
  return chosen;
}

/** The ids that all prompts with these system messages start with. */
function systemPrefix(
  messages: readonly Message[],
  prompt: (messages: readonly Message[]) => readonly number[],
): readonly number[] {
  const end = messages.findIndex(message => message.role !== 'system');
  const system = end < 0 ? messages : messages.slice(0, end);
  // Two questions without a token in common: what the prompts share comes before either.
  const [one = [], other = []] = ['a', '7'].map(content => prompt([...system, { role: 'user', content }]));
  return one.slice(0, commonLength(one, other));
}

function commonLength(a: readonly number[], b: readonly number[]): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length++;
  return length;
}
