import type { TokenLogprob } from '../../agent/events/turn-event.ts';
import type { ToolCall } from '../../chat/message.ts';
import type { ApiError } from '../http/api-error.ts';
import { EVENT_STREAM } from '../http/response-stream.ts';
import type { Replies, ToolEvent, Totals, WireFormat } from '../http/wire-format.ts';
import { eventsOf, logprobItems } from './chat-format.ts';
import { newId, now } from './model-object.ts';
import type { ResponsesBody } from './responses-request.ts';

interface OpenItem {
  readonly kind: TextItemKind;
  readonly id: string;
  /** Its index in the output. */
  readonly index: number;
  readonly logprobs: TokenLogprob[];
  text: string;
}

const ID_PREFIX = { message: 'msg_', reasoning: 'rs_' } as const;
const DELTA_OF = { message: 'response.output_text', reasoning: 'response.reasoning_text' } as const;

/** `response` and the events of its stream, as OpenAI documents them. */
export class ResponsesFormat implements WireFormat {
  readonly contentType = EVENT_STREAM;
  readonly #head: ResponseHead;
  readonly #keep: (ended: EndedResponse) => void;
  readonly #output: object[] = [];
  #count = 0;
  #sequence = 0;
  #message: OpenItem | undefined;
  #reasoning: OpenItem | undefined;

  /** `keep` gets the response once it has ended. */
  constructor(head: ResponseHead, keep: (ended: EndedResponse) => void) {
    this.#head = head;
    this.#keep = keep;
  }

  begin(): string {
    const response = runningResponse(this.#head);
    return this.#event('response.created', { response }) + this.#event('response.in_progress', { response });
  }

  text(text: string, logprobs: readonly TokenLogprob[] | undefined): string {
    const before = this.#endReasoning('completed');
    const opened = this.#message === undefined ? this.#open('message') : '';
    return before + opened + this.#delta(this.#message as OpenItem, text, logprobs ?? []);
  }

  thinking(text: string): string {
    const opened = this.#reasoning === undefined ? this.#open('reasoning') : '';
    return opened + this.#delta(this.#reasoning as OpenItem, text, []);
  }

  toolEvent(event: ToolEvent): string {
    return this.#event('llm_host.event', { llm_host_event: event });
  }

  keepAlive(note: string): string {
    return `: ${note}\n\n`;
  }

  end(calls: readonly ToolCall[], totals: Totals): string {
    const status = totals.finish === 'length' ? 'incomplete' : 'completed';
    const pieces = [this.#endReasoning(status)];
    if (!this.#message && calls.length === 0) pieces.push(this.#open('message'));
    if (this.#message) pieces.push(this.#close(this.#message, status));
    pieces.push(...calls.map(call => this.#call(call)));
    const response = endedResponse(this.#head, this.#output, totals);
    this.#keep(response);
    return [...pieces, this.#event(`response.${response.status}`, { response })].join('');
  }

  error(error: ApiError): string {
    // Unfinished items have left holes.
    const done = Object.values(this.#output);
    return this.#event('response.failed', { response: failedResponse(this.#head, done, error) });
  }

  whole([reply]: Replies): object {
    const { text, thinking, logprobs, calls, events, totals } = reply;
    const status = totals.finish === 'length' ? 'incomplete' : 'completed';
    const item = (kind: TextItemKind, written: string, listed: readonly object[]) =>
      textItem(kind, newId(ID_PREFIX[kind]), status, textPart(kind, written, listed));
    const output = [
      ...(thinking === '' ? [] : [item('reasoning', thinking, [])]),
      ...(text === '' && calls.length > 0 ? [] : [item('message', text, logprobItems(logprobs ?? []))]),
      ...calls.map(call => callItem(call, newId('fc_'), 'completed', argumentsOf(call))),
    ];
    const response = endedResponse(this.#head, output, totals);
    this.#keep(response);
    return { ...response, ...eventsOf(events) };
  }

  #event(type: string, fields: object): string {
    const data = JSON.stringify({ type, sequence_number: this.#sequence, ...fields });
    this.#sequence += 1;
    return `event: ${type}\ndata: ${data}\n\n`;
  }

  #open(kind: TextItemKind): string {
    const item = { kind, id: newId(ID_PREFIX[kind]), index: this.#count, logprobs: [], text: '' };
    this.#count += 1;
    if (kind === 'message') this.#message = item;
    else this.#reasoning = item;
    return (
      this.#event('response.output_item.added', {
        output_index: item.index,
        item: textItem(kind, item.id, 'in_progress'),
      }) + this.#event('response.content_part.added', { ...placeOf(item), part: textPart(kind, '', []) })
    );
  }

  #delta(item: OpenItem, text: string, logprobs: readonly TokenLogprob[]): string {
    item.text += text;
    item.logprobs.push(...logprobs);
    const listed = item.kind === 'message' ? { logprobs: eventLogprobs(logprobs) } : {};
    return this.#event(`${DELTA_OF[item.kind]}.delta`, { ...placeOf(item), delta: text, ...listed });
  }

  #close(item: OpenItem, status: 'completed' | 'incomplete'): string {
    const { kind, id, index, text, logprobs } = item;
    const part = textPart(kind, text, logprobItems(logprobs));
    const whole = textItem(kind, id, status, part);
    this.#output[index] = whole;
    const listed = kind === 'message' ? { logprobs: eventLogprobs(logprobs) } : {};
    return (
      this.#event(`${DELTA_OF[kind]}.done`, { ...placeOf(item), text, ...listed }) +
      this.#event('response.content_part.done', { ...placeOf(item), part }) +
      this.#event('response.output_item.done', { output_index: index, item: whole })
    );
  }

  /** Thinking that follows text is a new item. */
  #endReasoning(status: 'completed' | 'incomplete'): string {
    const item = this.#reasoning;
    if (!item) return '';
    this.#reasoning = undefined;
    return this.#close(item, status);
  }

  #call(call: ToolCall): string {
    const [id, index, args] = [newId('fc_'), this.#count, argumentsOf(call)];
    this.#count += 1;
    const whole = callItem(call, id, 'completed', args);
    this.#output[index] = whole;
    const place = { item_id: id, output_index: index };
    const { name } = call.function;
    return (
      this.#event('response.output_item.added', {
        output_index: index,
        item: callItem(call, id, 'in_progress', ''),
      }) +
      this.#event('response.function_call_arguments.delta', { ...place, delta: args }) +
      this.#event('response.function_call_arguments.done', { ...place, name, arguments: args }) +
      this.#event('response.output_item.done', { output_index: index, item: whole })
    );
  }
}

function placeOf({ id, index }: OpenItem): object {
  return { item_id: id, output_index: index, content_index: 0 };
}

/** Log-probabilities in events have no bytes. */
function eventLogprobs(logprobs: readonly TokenLogprob[]): object[] {
  const one = ({ token, logprob }: Omit<TokenLogprob, 'top'>) => ({ token, logprob });
  return logprobs.map(each => ({ ...one(each), top_logprobs: each.top.map(one) }));
}

function argumentsOf(call: ToolCall): string {
  return JSON.stringify(call.function.arguments);
}

type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

/** The fields that every stage of a response shares. */
export function responseHead(model: string, body: ResponsesBody) {
  return {
    id: newId('resp_'),
    object: 'response',
    created_at: now(),
    model,
    background: false,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    metadata: body.metadata ?? {},
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: body.previous_response_id ?? null,
    reasoning: { effort: body.reasoning?.effort ?? null, summary: null },
    store: body.store ?? true,
    temperature: body.temperature ?? null,
    text: { format: body.text?.format ?? { type: 'text' } },
    tool_choice: body.tool_choice ?? 'auto',
    tools: body.tools ?? [],
    top_p: body.top_p ?? null,
    truncation: body.truncation ?? 'disabled',
    ...(body.user != null && { user: body.user }),
  };
}

type ResponseHead = ReturnType<typeof responseHead>;

function runningResponse(head: ResponseHead): object {
  return { ...head, ...NOTHING_WRONG, status: 'in_progress', output: [], usage: null };
}

/** `incomplete` if it was cut off. */
function endedResponse(head: ResponseHead, output: readonly object[], totals: Totals) {
  const cut = totals.finish === 'length';
  return {
    ...head,
    ...NOTHING_WRONG,
    status: cut ? ('incomplete' as const) : ('completed' as const),
    incomplete_details: cut ? { reason: 'max_output_tokens' } : null,
    completed_at: cut ? null : now(),
    output,
    usage: {
      input_tokens: totals.promptTokens,
      input_tokens_details: { cached_tokens: totals.cachedTokens, cache_write_tokens: 0 },
      output_tokens: totals.generatedTokens,
      // Clients read it; thinking tokens are not counted separately.
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: totals.promptTokens + totals.generatedTokens,
    },
  };
}

type EndedResponse = ReturnType<typeof endedResponse>;

function failedResponse(head: ResponseHead, output: readonly object[], { message }: ApiError): object {
  const error = { code: 'server_error', message };
  return { ...head, ...NOTHING_WRONG, status: 'failed', error, output, usage: null };
}

const NOTHING_WRONG = { error: null, incomplete_details: null };

/** An output item with a single text part. */
type TextItemKind = 'message' | 'reasoning';

function textItem(kind: TextItemKind, id: string, status: ItemStatus, part?: object): object {
  const content = part === undefined ? [] : [part];
  return kind === 'message'
    ? { id, type: kind, status, role: 'assistant', content }
    : { id, type: kind, status, summary: [], content };
}

function textPart(kind: TextItemKind, text: string, logprobs: readonly object[]): object {
  return kind === 'message'
    ? { type: 'output_text', text, annotations: [], logprobs }
    : { type: 'reasoning_text', text };
}

function callItem(
  { id: callId, function: { name } }: ToolCall,
  id: string,
  status: ItemStatus,
  args: string,
): object {
  return { id, type: 'function_call', status, call_id: callId, name, arguments: args };
}
