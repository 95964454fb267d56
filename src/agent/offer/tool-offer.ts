import type { Message, ToolDefinition } from '../../chat/message.ts';
import type { HostTool, ToolHost } from '../../mcp/tool-host.ts';
import { extendedHost } from '../calls/extended-host.ts';
import { calledTools } from '../calls/past-calls.ts';
import type { TurnEvent } from '../events/turn-event.ts';
import type { ChatModel } from '../model/chat-model.ts';
import { chooseTools } from './choose-tools.ts';
import { headTools, laterTools } from './fitting-tools.ts';
import { foundNames, foundText, searchToolFor, withMoreTools } from './search-tool.ts';
import { mostTools, ToolMeter, toolBudget } from './tool-budget.ts';
import { Rankings } from './tool-ranking.ts';

/** The tools of one prompt. */
export interface Offer {
  /** All that the model may call, as their servers define them. */
  readonly tools: readonly HostTool[];
  /** At the head of the prompt; the others are defined in `messages`. */
  readonly listed: readonly ToolDefinition[];
  readonly messages: readonly Message[];
  /** Tokens of all definitions in the prompt; counted only where not all tools are offered. */
  readonly tokens: number;
  readonly budget: number;
  /** Tools that there are; more than in `tools` where not all fit the budget. */
  readonly total: number;
}

export interface ToolOfferOptions {
  readonly model: ChatModel;
  /** Tokens of definitions; 0: no limit. Default: by the model's context and size. */
  readonly budget?: number | undefined;
  /** Tools and servers, by name, that are offered before others. */
  readonly pinned?: readonly string[] | undefined;
  /** Offered whatever the budget: a client's own tools. */
  readonly always?: ReadonlySet<string> | undefined;
  /** Tools among `always` that the messages define already, so they are never listed. */
  readonly deferred?: ReadonlySet<string> | undefined;
  /** Shared by the conversations with one model. */
  readonly shared?: { readonly meter: ToolMeter; readonly rankings: Rankings };
}

/** Tools chosen at some point of the conversation, as the prompt has them. */
type Chosen = readonly ToolDefinition[];

/** The share of the budget for tools that one later prompt adds. */
const ADDED_SHARE = 0.3;
/** So many budgets in one conversation; then the tools are chosen anew, for the latest prompt. */
const MAX_BUDGETS = 2;
const MAX_FOUND = 5;
const MAX_CHARS_PER_TOKEN = 10;

/**
 * Chooses the tools a model is offered. Within the budget: all, in their own order. Above it: those that fit the first
 * prompt, at the head, where they stay; what later prompts or `search_tools` bring stands where it came up, so that what
 * the model has read stays a prefix.
 */
export class ToolOffer {
  readonly #options: ToolOfferOptions;
  readonly #rankings: Rankings;
  readonly #pinned: Set<string>;
  #meter: ToolMeter;
  #budget: number;
  /** Tools at the head that only fit the prompt. */
  #most: number;
  #latest: Offer | undefined;
  /** The tools listed at the head since the prompt `from`. */
  #head: { readonly from: Message | undefined; readonly chosen: Chosen } | undefined;
  /** The tools added with each prompt. */
  #added = new WeakMap<Message, Chosen>();
  /** The full definitions that what is listed and added was made from, as text: a server may change them. */
  readonly #madeFrom = new Map<string, string>();
  readonly #texts = new WeakMap<Message, { readonly added: Chosen; readonly message: Message }>();

  constructor(options: ToolOfferOptions) {
    const { model, budget, pinned, shared } = options;
    this.#options = options;
    this.#rankings = shared?.rankings ?? new Rankings();
    this.#meter = shared?.meter ?? new ToolMeter(model);
    this.#budget = toolBudget(budget, model);
    this.#most = mostTools(budget, model);
    this.#pinned = new Set(pinned);
  }

  get meter(): ToolMeter {
    return this.#meter;
  }

  /** The offer of the latest prompt. */
  get latest(): Offer | undefined {
    return this.#latest;
  }

  get budget(): number {
    return this.#budget;
  }

  /** Another model counts and copes otherwise; it reads the whole conversation anyway. */
  changeModel(model: ChatModel): void {
    this.#meter = new ToolMeter(model);
    this.#budget = toolBudget(this.#options.budget, model);
    this.#most = mostTools(this.#options.budget, model);
    this.#forget();
  }

  /** Offers this tool, or this server's, always, from the next prompt on. */
  pin(name: string): void {
    this.#pinned.add(name);
  }

  unpin(name: string): boolean {
    return this.#pinned.delete(name);
  }

  get pinned(): ReadonlySet<string> {
    return this.#pinned;
  }

  /** The host, whose tools the model can also search once it is not offered all of them. */
  joined(host: ToolHost): ToolHost {
    const searches = (name: string): boolean =>
      this.#head !== undefined && name === searchToolFor(host.tools()).tool;
    return extendedHost(host, {
      tools: () => host.tools(),
      call: (name, args, options) =>
        searches(name)
          ? Promise.resolve({ text: this.#search(host.tools(), args.query), isError: false })
          : host.call(name, args, options),
    });
  }

  /** The tools for the next reply to `messages`. */
  next(all: readonly HostTool[], messages: readonly Message[]): Offer {
    this.#latest = this.#next(all, messages);
    return this.#latest;
  }

  /** A summary stands at the beginning of `messages` now: what is listed stays, so that it need not be read again. */
  keepHead(messages: readonly Message[]): void {
    if (this.#head) this.#head = { ...this.#head, from: messages.find(isPrompt) };
  }

  /** The tools that another model would be offered at the head of its prompt. */
  listedFor(
    model: ChatModel,
    all: readonly HostTool[],
    messages: readonly Message[],
  ): readonly ToolDefinition[] {
    return new ToolOffer({ ...this.#options, model }).next(all, messages).listed;
  }

  /** Whether all these tools are offered. */
  fits(all: readonly HostTool[]): boolean {
    const { always } = this.#options;
    const tools = all.flatMap(({ definition, unlisted, always: fixed }) =>
      unlisted || fixed || always?.has(definition.function.name) ? [] : [definition],
    );
    if (!Number.isFinite(this.#budget) || tools.length === 0) return true;
    const chars = tools.reduce((sum, tool) => sum + sizeOf(tool), 0);
    // Counting is saved where a look is enough: a token is at least one character, and seldom more than ten.
    if (chars <= this.#budget) return true;
    return chars <= this.#budget * MAX_CHARS_PER_TOKEN && this.#meter.all(tools) <= this.#budget;
  }

  #next(all: readonly HostTool[], messages: readonly Message[]): Offer {
    if (this.fits(all)) {
      this.#forget();
      const listed = all.flatMap(tool => (this.#isUnlisted(tool) ? [] : [tool.definition]));
      return { ...this.#about(all), tools: all, listed, messages, tokens: 0 };
    }
    if (!this.#hasChanged(all)) {
      const offer = this.#chosen(all, messages, this.#start(messages));
      if (offer.tokens <= this.#budget * MAX_BUDGETS) return offer;
    }
    this.#forget();
    return this.#chosen(all, messages, messages.findLast(isPrompt));
  }

  #isUnlisted({ definition, unlisted = false }: HostTool): boolean {
    return unlisted || this.#options.deferred?.has(definition.function.name) === true;
  }

  #about(all: readonly HostTool[]): Pick<Offer, 'budget' | 'total'> {
    return { budget: this.#budget, total: all.length };
  }

  /** The result of the model's own search. */
  #search(all: readonly HostTool[], query: unknown): string {
    const fitting = typeof query === 'string' ? this.#rankings.of(all).rank(query) : [];
    const tools = fitting.slice(0, MAX_FOUND).map(({ tool }) => tool);
    return foundText(chooseTools(tools, this.#budget * ADDED_SHARE, this.#meter));
  }

  #forget(): void {
    this.#head = undefined;
    this.#added = new WeakMap();
    this.#madeFrom.clear();
  }

  /** Whether a tool in the prompt is defined otherwise now. */
  #hasChanged(all: readonly HostTool[]): boolean {
    return all.some(({ definition }) => {
      const before = this.#madeFrom.get(definition.function.name);
      return before !== undefined && before !== textOf(definition);
    });
  }

  #chosen(all: readonly HostTool[], messages: readonly Message[], from: Message | undefined): Offer {
    const meter = this.#meter;
    const budget = this.#budget;
    const byName = new Map([searchToolFor(all), ...all].map(tool => [tool.definition.function.name, tool]));
    const used = calledTools(messages);
    this.#head ??= { from, chosen: this.#choose(all, from, used, new Set(), budget - meter.once) };
    const known = ({ function: { name } }: ToolDefinition): boolean => byName.has(name);
    const fixed = all.flatMap(tool => (tool.always ? [tool.definition] : []));
    const listed = [...this.#head.chosen.filter(known), ...fixed];
    const offered = new Set(listed.map(tool => tool.function.name));
    let tokens = meter.all(listed);
    let reached = false;
    const annotated = messages.map(message => {
      if (message === this.#head?.from) reached = true;
      if (!reached || message === this.#head?.from || !isPrompt(message)) return message;
      let more = this.#added.get(message);
      if (more === undefined) {
        more = this.#choose(all, message, used, offered, budget * ADDED_SHARE);
        this.#added.set(message, more);
      }
      const added = more.filter(known);
      for (const tool of added) {
        offered.add(tool.function.name);
        tokens += meter.one(tool);
      }
      return added.length === 0 ? message : this.#annotated(message, added);
    });
    for (const name of foundNames(messages)) {
      const tool = byName.get(name);
      if (tool === undefined || offered.has(name)) continue;
      offered.add(name);
      tokens += meter.one(tool.definition);
    }
    // A tool that was called once can be called again, and a client's own tools are never out of reach.
    const unlisted = all.flatMap(tool => (tool.unlisted ? [tool.tool] : []));
    for (const name of [...used, ...unlisted, ...(this.#options.always ?? [])])
      if (byName.has(name)) offered.add(name);
    const tools = [...byName].flatMap(([name, tool]) => (offered.has(name) ? [tool] : []));
    return { ...this.#about(all), tools, listed, messages: annotated, tokens };
  }

  /** Returns one object for each set of additions, by which the prompt is recognized. */
  #annotated(message: Message, added: Chosen): Message {
    const known = this.#texts.get(message);
    if (known?.added.length === added.length && known.added.every((tool, index) => tool === added[index]))
      return known.message;
    const made = { ...message, content: withMoreTools(message.content, added) };
    this.#texts.set(message, { added, message: made });
    return made;
  }

  /** The prompt the head was chosen for, or the first one. */
  #start(messages: readonly Message[]): Message | undefined {
    const { from } = this.#head ?? {};
    if (from !== undefined && messages.includes(from)) return from;
    this.#forget();
    return messages.find(isPrompt);
  }

  #choose(
    all: readonly HostTool[],
    prompt: Message | undefined,
    used: readonly string[],
    offered: ReadonlySet<string>,
    budget: number,
  ): Chosen {
    const { always } = this.#options;
    const nameOf = ({ definition }: HostTool): string => definition.function.name;
    const text = prompt?.content ?? '';
    const words = new Set(text.split(/[^\w-]+/));
    const wanted = all.filter(tool => {
      const name = nameOf(tool);
      return (
        this.#pinned.has(name) || this.#pinned.has(tool.server) || used.includes(name) || words.has(name)
      );
    });
    const ranked = this.#rankings.of(all).rank(text);
    const first = offered.size === 0;
    const fitting = first ? headTools(text, ranked, wanted, this.#most) : laterTools(ranked);
    const search = searchToolFor(all);
    const fixed = all.filter(tool => always?.has(nameOf(tool)) === true && !this.#isUnlisted(tool));
    const candidates = [...new Set([search, ...wanted, ...fitting])].filter(
      tool =>
        !offered.has(nameOf(tool)) && always?.has(nameOf(tool)) !== true && !tool.unlisted && !tool.always,
    );
    const chosen = chooseTools(first ? candidates : candidates.slice(0, MAX_FOUND), budget, this.#meter);
    const own = fixed.filter(tool => !offered.has(nameOf(tool)));
    const made = new Set(chosen.map(tool => tool.function.name));
    for (const tool of [...own, ...candidates.filter(candidate => made.has(nameOf(candidate)))])
      this.#madeFrom.set(nameOf(tool), textOf(tool.definition));
    return [...own.map(tool => tool.definition), ...chosen];
  }
}

const sizes = new WeakMap<ToolDefinition, number>();

/** Characters of a definition. */
function sizeOf(tool: ToolDefinition): number {
  const known = sizes.get(tool) ?? JSON.stringify(tool.function).length;
  sizes.set(tool, known);
  return known;
}

const texts = new WeakMap<ToolDefinition, string>();

/** A definition as text, by which it is compared: a host makes new objects of the same definitions. */
function textOf(tool: ToolDefinition): string {
  const known = texts.get(tool) ?? JSON.stringify(tool.function);
  texts.set(tool, known);
  return known;
}

function isPrompt(message: Message): boolean {
  return message.role === 'user';
}

/** Tells which tools are offered when they are not all, and not the same as before. */
export function* offeredEvent(
  before: Offer | undefined,
  { tools, tokens, budget, total }: Offer,
): Generator<TurnEvent> {
  if (tools.length >= total) return;
  const nameOf = ({ definition }: HostTool): string => definition.function.name;
  const names = tools.map(nameOf);
  const known = new Set(
    before !== undefined && before.tools.length < before.total ? before.tools.map(nameOf) : [],
  );
  const added = names.filter(name => !known.has(name));
  if (added.length > 0 || known.size > names.length)
    yield { type: 'tools_offered', names, added, tokens, budget, total };
}
