import type { TokenLogprob } from '../../agent/events/turn-event.ts';
import type { ToolCall } from '../../chat/message.ts';
import type { ApiError } from '../http/api-error.ts';
import { EVENT_STREAM } from '../http/response-stream.ts';
import type { Replies, ToolEvent, Totals, WireFormat } from '../http/wire-format.ts';
import { eventsOf, logprobItems } from './chat-format.ts';
import { newId } from './model-object.ts';
import {
  callItem,
  type EndedResponse,
  endedResponse,
  failedResponse,
  type ResponseHead,
  runningResponse,
  type TextItemKind,
  textItem,
  textPart,
} from './response-object.ts';

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
