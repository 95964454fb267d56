import { settleCalls } from '../calls/settle-calls.ts';
import type { ToolCatalog } from '../calls/tool-catalog.ts';
import { recipientRegion } from '../formats/named/harmony.ts';
import type { CallRegion } from '../types/format.ts';
import type { ParseEvent, ParserProgress } from '../types/parse-event.ts';
import { PendingParser } from '../types/pending-parser.ts';
import { DelimiterSearch } from './delimiter-search.ts';
import { progressOf, RegionMarks, RegionScanner } from './region-scanner.ts';

const MESSAGE = '<|message|>';
const ENDS = ['<|end|>', '<|return|>', '<|call|>'];
/** A header before its `<|message|>` has arrived. */
const HEADER = /^\s*(?:$|<$|t$|to$|<\||to=)[^\n]*$/;
/** Characters. A header has a role, a recipient and a channel. */
const MAX_HEADER = 256;
/** A tool's name, with or without the namespace of the prompt's tools. */
const RECIPIENT = /\bto=(?:functions\.)?(?=([^\s<]+))/;

type State =
  | { readonly kind: 'header' }
  | { readonly kind: 'message'; readonly as: 'content' | 'thinking' }
  | { readonly kind: 'call'; readonly region: CallRegion; readonly scanner: RegionScanner };

/**
 * gpt-oss: a reply is a sequence of messages, each with a header naming its channel and recipient. Analysis is
 * thinking, a message to a function is a call, everything else content. Headers and end marks are left out.
 */
export class HarmonyParser extends PendingParser {
  readonly #tools: ToolCatalog;
  readonly #ends = new DelimiterSearch([...ENDS, '<|start|>', '<|channel|>']);
  #state: State;

  constructor(tools: ToolCatalog, startsInThinking: boolean) {
    super();
    this.#tools = tools;
    this.#state = startsInThinking ? { kind: 'message', as: 'thinking' } : { kind: 'header' };
  }

  progress(): ParserProgress {
    const state = this.#state;
    if (state.kind === 'call') return progressOf({ ...state, bare: false }, this.pending);
    const { pending } = this;
    const { opener } = recipientRegion;
    const at = state.kind === 'header' && pending.length <= MAX_HEADER ? pending.indexOf(opener) : -1;
    if (at < 0) return progressOf(undefined, pending);
    // The header has the name before there is a message.
    const body = pending.slice(at + opener.length);
    return { pending: pending.length, call: { region: recipientRegion, bare: false, body } };
  }

  protected override advance(final: boolean): ParseEvent[] {
    const events: ParseEvent[] = [];
    for (let more = true; more; ) {
      const state = this.#state;
      if (state.kind === 'header') more = this.#readHeader(events, final);
      else if (state.kind === 'message') more = this.#readMessage(state.as, events, final);
      else more = this.#readCall(state.region, state.scanner, events, final);
    }
    return events;
  }

  #readHeader(events: ParseEvent[], final: boolean): boolean {
    const window = this.pending.slice(0, MAX_HEADER + MESSAGE.length);
    const at = window.indexOf(MESSAGE);
    const header = window.slice(0, at < 0 ? undefined : at);
    // Before its mark is whole, a header may be longer by what there is of the mark.
    const limit = at < 0 ? MAX_HEADER + MESSAGE.length - 1 : MAX_HEADER;
    const possible =
      header.length <= limit && HEADER.test(header) && !ENDS.some(mark => header.includes(mark));
    if (at < 0 && possible && !final) return false;
    if (at < 0 || !possible) {
      if (this.pending === '') return false;
      const end = ENDS.find(mark => this.pending.startsWith(mark));
      if (end) {
        this.pending = this.pending.slice(end.length);
        return true;
      }
      this.#state = { kind: 'message', as: 'content' };
      // A mark that leads nowhere would be found over and over.
      const stray = /^\s*<\|(?:start|channel)\|>/.exec(this.pending)?.[0];
      if (stray) this.#emit(events, 'content', this.#cut(stray.length));
      return true;
    }
    const recipient = RECIPIENT.exec(header);
    if (recipient && recipient[1] !== 'all' && recipient[1] !== 'user') {
      const opener = this.#cut(recipient.index + recipient[0].length);
      const region = { ...recipientRegion, opener };
      this.#state = { kind: 'call', region, scanner: new RegionScanner(new RegionMarks(region), true) };
      return true;
    }
    const channel = /<\|channel\|>\s*(\w+)/.exec(header)?.[1];
    this.#cut(header.length + MESSAGE.length);
    this.#state = { kind: 'message', as: channel === 'analysis' ? 'thinking' : 'content' };
    return true;
  }

  #readMessage(as: 'content' | 'thinking', events: ParseEvent[], final: boolean): boolean {
    const match = this.#ends.find(this.pending, 0, final);
    if (!match) {
      const held = final ? 0 : this.#ends.heldLength(this.pending, 0);
      this.#emit(events, as, this.#cut(this.pending.length - held));
      return false;
    }
    this.#emit(events, as, this.#cut(match.start));
    if (ENDS.includes(match.mark)) this.#cut(match.mark.length);
    this.#state = { kind: 'header' };
    return true;
  }

  #readCall(region: CallRegion, scanner: RegionScanner, events: ParseEvent[], final: boolean): boolean {
    const { at, end } = scanner.scan(this.pending, 0, final);
    this.#cut(at);
    if (end === 'wait' && !final) return false;
    this.#state = { kind: 'header' };
    const { raw } = scanner;
    const atCloser = end === 'closer';
    const body = raw.slice(region.opener.length, atCloser ? -(region.closer ?? '').length : undefined);
    // A call ends with a stop token, which the text does not show.
    const cut = end === 'wait' && !this.finished;
    events.push(...settleCalls(region.read, { raw, body, closed: end !== 'wait', cut }, this.#tools));
    return end !== 'wait';
  }

  #emit(events: ParseEvent[], type: 'content' | 'thinking', text: string): void {
    if (text !== '') events.push({ type, text });
  }

  /** Removes this many characters from the pending text. */
  #cut(length: number): string {
    const text = this.pending.slice(0, length);
    this.pending = this.pending.slice(length);
    return text;
  }
}
