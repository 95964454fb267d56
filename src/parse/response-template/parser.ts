import { LlmHostError, messageOf } from '../../errors.ts';
import { TimeLimitError, withinTime } from '../../text/time-limit.ts';
import { isObject, readCall } from '../bodies/json-body.ts';
import { typedValue } from '../bodies/typed-value.ts';
import { settleCalls } from '../calls/settle-calls.ts';
import type { ToolCatalog } from '../calls/tool-catalog.ts';
import type { BodyCall, BodyResult, ReadBody } from '../types/format.ts';
import type { ParseEvent } from '../types/parse-event.ts';
import { PendingParser } from '../types/pending-parser.ts';
import { fieldValue } from './content.ts';
import { isCalls, type ResponseTemplate, type TemplateField } from './load.ts';

/** Per piece of a reply. The patterns come from the model folder, and one can backtrack for hours. */
const LIMIT_MS = 1000;

interface Found {
  readonly kind: 'open' | 'close';
  readonly field: TemplateField;
  readonly start: number;
  readonly end: number;
  readonly captures: Readonly<Record<string, string>>;
}

interface OpenRegion {
  readonly field: TemplateField;
  readonly captures: Readonly<Record<string, string>>;
  /** Opener and body as written. */
  raw: string;
  body: string;
}

/**
 * Parses replies with a model's own `response_template`; splits do not change the events, as with the built-in
 * formats.
 */
export class ResponseTemplateParser extends PendingParser {
  readonly #template: ResponseTemplate;
  readonly #tools: ToolCatalog;
  #region: OpenRegion | undefined;

  /** `prompt` up to the reply: its part of the reply is read first, without events. */
  constructor(template: ResponseTemplate, tools: ToolCatalog, prompt: string) {
    super();
    this.#template = template;
    this.#tools = tools;
    limited(() => {
      this.pending = afterLastAnchor(template, prompt);
      this.#advance(false);
    });
    // The prompt's own text is not part of the reply.
    this.pending = '';
    if (this.#region) this.#region = { ...this.#region, raw: '', body: '' };
  }

  protected override advance(final: boolean): ParseEvent[] {
    return limited(() => this.#advance(final));
  }

  #advance(final: boolean): ParseEvent[] {
    const events: ParseEvent[] = [];
    while (true) {
      const { found, heldFrom } = this.#scan(final);
      if (!found) break;
      this.#take(events, found.start);
      const mark = this.pending.slice(0, found.end - found.start);
      this.pending = this.pending.slice(mark.length);
      if (found.kind === 'open') this.#open(found, mark);
      else if (this.#region) this.#close(events, mark, true);
      if (found.kind === 'close' && mark === '') return this.#rest(events, final, heldFrom);
    }
    return this.#rest(events, final, this.#scan(final).heldFrom);
  }

  #rest(events: ParseEvent[], final: boolean, heldFrom: number): ParseEvent[] {
    this.#take(events, final ? this.pending.length : heldFrom);
    if (final && this.#region) this.#close(events, '', false);
    return events;
  }

  /** The first certain mark, and where text starts that may still become one. */
  #scan(final: boolean): { found: Found | undefined; heldFrom: number } {
    const text = this.pending;
    let heldFrom = text.length;
    let best: Found | undefined;
    for (const [kind, field] of this.#watched()) {
      const pattern = kind === 'open' ? field.open : field.close;
      if (!pattern) continue;
      pattern.whole.lastIndex = 0;
      const match = pattern.whole.exec(text);
      const literal = kind === 'open' ? field.openIsLiteral : field.closeIsLiteral;
      const end = match ? match.index + match[0].length : 0;
      const grows = !final && match !== null && end === text.length && !literal;
      if (!final) {
        const partial = pattern.partial.exec(text);
        // The empty match at the end is not a mark.
        if (partial && partial[0] !== '' && !(match && !grows && match.index <= partial.index)) {
          heldFrom = Math.min(heldFrom, partial.index);
        }
      }
      if (!match || grows || (match[0] === '' && !final)) continue;
      if (!best || match.index < best.start || (match.index === best.start && end > best.end)) {
        best = { kind, field, start: match.index, end, captures: match.groups ?? {} };
      }
    }
    return { found: best && best.start < heldFrom ? best : undefined, heldFrom };
  }

  #watched(): ['open' | 'close', TemplateField][] {
    if (this.#region) return [['close', this.#region.field]];
    const watched = this.#template.fields.map(field => ['open', field] as ['open', TemplateField]);
    const { implicit } = this.#template;
    return implicit ? [...watched, ['close', implicit]] : watched;
  }

  #open({ field, captures }: Found, mark: string): void {
    this.#region = { field, captures, raw: mark, body: '' };
  }

  /** Text of the open region. */
  #take(events: ParseEvent[], length: number): void {
    if (length <= 0) return;
    const text = this.pending.slice(0, length);
    this.pending = this.pending.slice(length);
    const region = this.#region;
    if (!region) events.push({ type: 'content', text });
    else if (isThinking(region.field)) events.push({ type: 'thinking', text });
    else if (isCalls(region.field)) {
      region.raw += text;
      region.body += text;
    } else events.push({ type: 'content', text });
  }

  #close(events: ParseEvent[], mark: string, closed: boolean): void {
    const region = this.#region as OpenRegion;
    if (!isCalls(region.field)) {
      this.#region = undefined;
      return;
    }
    if (closed && region.field.content === 'json' && endsInString(region.body)) {
      // The closer is inside a string of the call.
      region.raw += mark;
      region.body += mark;
      return;
    }
    this.#region = undefined;
    const raw = region.raw + mark;
    const cut = !closed && !this.finished;
    const read: ReadBody = (body, { repair }) => this.#read({ ...region, body }, repair);
    events.push(...settleCalls(read, { raw, body: region.body, closed, cut }, this.#tools));
  }

  #read({ field, body, captures }: OpenRegion, repair: boolean): BodyResult {
    let value: unknown;
    try {
      value = fieldValue(field, body, captures, repair);
    } catch (error) {
      return { reason: `the call cannot be read (${messageOf(error)})` };
    }
    const calls: BodyCall[] = [];
    for (const item of Array.isArray(value) ? value : [value]) {
      const call = readCall(item, { repair });
      if ('reason' in call) return call;
      // With repair the value may be a guess; the caller then checks the schema.
      const guess = repair ? { ...call, guessed: true } : call;
      calls.push(field.content === 'json' ? guess : this.#typed(guess));
    }
    return calls.length > 0 ? calls : { reason: 'the call is empty' };
  }

  /** Turns strings into what the tool's schema says; without a schema they stay strings. */
  #typed(call: BodyCall): BodyCall {
    const properties = this.#tools.parametersOf(call.name)?.properties;
    if (!isObject(properties)) return call;
    const context = {
      repair: false,
      whole: true,
      parametersOf: (tool: string) => this.#tools.parametersOf(tool),
    };
    const entries = Object.entries(call.arguments).map(([key, value]) => {
      const known = typeof value === 'string' && Object.hasOwn(properties, key);
      return [key, known ? typedValue(value, call.name, key, context) : value] as const;
    });
    return { ...call, arguments: Object.fromEntries(entries) };
  }
}

/** @throws LlmHostError TEMPLATE */
function limited<T>(work: () => T): T {
  try {
    return withinTime(LIMIT_MS, work);
  } catch (error) {
    if (!(error instanceof TimeLimitError)) throw error;
    throw new LlmHostError('TEMPLATE', `A pattern of the response_template was stopped: ${error.message}`, {
      hint: 'It is in tokenizer_config.json. Get another copy of the model, or correct the pattern.',
      cause: error,
    });
  }
}

function isThinking({ name }: TemplateField): boolean {
  return /think|reason/i.test(name);
}

function afterLastAnchor({ startAnchor }: ResponseTemplate, prompt: string): string {
  if (!startAnchor || prompt === '') return '';
  let end = -1;
  for (const match of prompt.matchAll(startAnchor)) end = match.index + match[0].length;
  return end < 0 ? '' : prompt.slice(end);
}

function endsInString(json: string): boolean {
  let inside = false;
  for (let at = 0; at < json.length; at++) {
    if (inside && json[at] === '\\') at += 1;
    else if (json[at] === '"') inside = !inside;
  }
  return inside;
}
