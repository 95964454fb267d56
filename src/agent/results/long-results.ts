import type { HostTool, ToolHost, ToolOutcome } from '../../mcp/tool-host.ts';
import { extendedHost, firstFree } from '../calls/extended-host.ts';
import { type KeptResult, KeptResults, partCount, partOf, placeOf } from './kept-results.ts';
import { cutResult, pieceOf } from './result-limit.ts';

/** The names it is offered under: the first that no server's tool has. */
const NAMES = ['read_result', 'llm_host_read_result', 'llm_host__read_result'] as const;
/** One object for each name: prompts that were counted are known by their tools. */
const TOOLS: readonly HostTool[] = NAMES.map(name => ({
  definition: {
    type: 'function',
    function: {
      name,
      description: 'Reads more of a tool result that was cut: a part of it, or the places of words in it.',
      parameters: {
        type: 'object',
        properties: {
          result: { type: 'string', description: 'the reference in the note of the cut, such as r1a2b3' },
          part: { type: 'integer', minimum: 1, description: 'the part to read, or to search from' },
          search: { type: 'string', description: 'words to find' },
        },
        required: ['result'],
      },
    },
  },
  server: 'llm-host',
  tool: name,
  readOnly: true,
}));
/** Characters of a note below a part. */
const NOTE_CHARS = 300;
const NOTE_START = '\n... [cut: ';
/** Below a part behind the first. */
const PART_NOTE = /\n\.\.\. \[part (\d+) of \d+(, the last)?[^\]\n]{0,100}\]$/;
const FIRST_PART_NOTE =
  /(\n\.\.\. \[cut: \d+ of \d+ characters)(?:, of which \d+ are kept)?; this was part 1 of \d+\. \w+ \{"result": "\w+", "part": 2\} reads on, \w+ \{"result": "\w+", "search": "words"\} finds words\]/g;
/** Below later parts, and below places of a word. */
const READ_ON =
  /(?<=\n\.\.\. \[part \d+ of \d+); \w+ \{"result": "\w+", "part": \d+\} reads on\]|(?<=\n\[there are more places); \{"result": "\w+", [^\n]{0,1300}\} searches from part \d+ of \d+ on\]/g;
/** References named in an answer. */
const NAMED = 5;

/** The results of one conversation that are too long for the prompt: cut, and kept so that the model can read on. */
export class LongResults {
  readonly #kept: KeptResults;
  readonly #host: ToolHost;

  /** @param kept those of before. Default: none */
  constructor(host: ToolHost, kept = new KeptResults()) {
    this.#host = host;
    this.#kept = kept;
  }

  /** The host's tools, and once a result was cut the one that reads on, last so that the others stay where they are. */
  tools(): readonly HostTool[] {
    return this.#kept.isEmpty ? this.#host.tools() : [...this.#host.tools(), this.#tool()];
  }

  /** The host with these tools. */
  joined(): ToolHost {
    const host = this.#host;
    return extendedHost(host, {
      tools: () => this.tools(),
      call: (name, args, options) =>
        this.#isOurs(name) ? Promise.resolve(this.#read(args)) : host.call(name, args, options),
    });
  }

  /** The part of a result that the model sees: all of up to `limit` characters, else the first part and how to read on. */
  cut(tool: string, text: string, limit: number): string {
    if (text.length <= limit) return text;
    // Its own answers are a part and a note.
    if (this.#isOurs(tool)) return cutResult(text, limit + NOTE_CHARS);
    return this.#firstPart(this.#kept.keep(tool, text, limit));
  }

  /** Shortens a result that was cut before, and its parts. */
  shrink(tool: string, content: string, limit: number): string {
    if (this.#isOurs(tool)) return this.#shorterPart(content, limit) ?? this.cut(tool, content, limit);
    const note = content.lastIndexOf(NOTE_START);
    const [, reference = ''] = /\{"result": "(\w+)"/.exec(content.slice(Math.max(0, note))) ?? [];
    const kept = note < 0 ? undefined : this.#kept.find(reference);
    if (kept?.tool !== tool) return this.cut(tool, content, limit);
    return this.#firstPart(this.#kept.divide(kept, limit));
  }

  clear(): void {
    this.#kept.clear();
  }

  #firstPart(kept: KeptResult): string {
    const shown = partOf(kept, 1);
    const lost = kept.text.length < kept.length ? `, of which ${kept.text.length} are kept` : '';
    const part = `this was part 1 of ${partCount(kept)}`;
    return `${shown}${NOTE_START}${shown.length} of ${kept.length} characters${lost}; ${part}. ${this.#readsOn(kept, 2)}, ${this.#call(kept, '"search": "words"')} finds words]`;
  }

  /** For an answer that is a part: the shorter one at its place. */
  #shorterPart(content: string, limit: number): string | undefined {
    const [note = '', number = '', last] = PART_NOTE.exec(content) ?? [];
    const shown = content.slice(0, -note.length);
    if (note === '' || shown === '') return undefined;
    for (const kept of this.#kept.all()) {
      const at = placeOf(kept, shown, last === undefined ? Number(number) : 'last');
      if (at < 0) continue;
      const divided = this.#kept.divide(kept, limit);
      const part = Math.floor(at / limit) + 1;
      const on = part < partCount(divided) ? `; ${this.#readsOn(divided, part + 1)}` : '';
      return partText(divided, part, on);
    }
    return undefined;
  }

  #readsOn(kept: KeptResult, part: number): string {
    return `${this.#call(kept, `"part": ${part}`)} reads on`;
  }

  #call({ reference }: KeptResult, rest: string): string {
    return `${this.#tool().tool} {"result": "${reference}", ${rest}}`;
  }

  #isOurs(name: string): boolean {
    return !this.#kept.isEmpty && name === this.#tool().tool;
  }

  #tool(): HostTool {
    return firstFree(TOOLS, this.#host.tools());
  }

  #read({ result: reference, part, search }: Readonly<Record<string, unknown>>): ToolOutcome {
    const kept = typeof reference === 'string' ? this.#kept.find(reference.trim()) : undefined;
    if (kept === undefined) return problem(`${this.#unknown(reference)} Kept are ${this.#list()}.`);
    const parts = partCount(kept);
    const words = typeof search === 'string' ? search.trim() : '';
    const number = part === undefined ? (words === '' ? 2 : 1) : Number(part);
    if (!Number.isInteger(number) || number < 1 || number > parts) {
      return problem(
        `Result ${kept.reference} has the parts 1 to ${parts}; there is no part ${String(part).slice(0, 40)}.`,
      );
    }
    if (words !== '') return { text: searchResult(kept, words, number), isError: false };
    return { text: partText(kept, number), isError: false };
  }

  #unknown(reference: unknown): string {
    return `There is no kept result "${String(reference).slice(0, 40)}": it was dropped for later ones, or belongs to another conversation. Call its tool again.`;
  }

  #list(): string {
    const named = this.#kept.all().slice(0, NAMED);
    return named.map(({ reference, tool }) => `${reference} (${tool})`).join(', ');
  }
}

function partText(kept: KeptResult, number: number, on = ''): string {
  const parts = partCount(kept);
  return `${partOf(kept, number)}\n... [part ${number} of ${parts}${number === parts ? ', the last' : ''}${on}]`;
}

/** Whether it is this tool, not a server's of that name. */
export const isReadResult = (tool: HostTool): boolean => TOOLS.includes(tool);

/** A tool's result without how to read on in it, for a conversation that goes on without what was kept. */
export function withoutReadOn(content: string): string {
  return content.replaceAll(FIRST_PART_NOTE, '$1]').replaceAll(READ_ON, ']');
}

const problem = (text: string): ToolOutcome => ({ text, isError: true });

/** UTF-16 units shown on either side of a place. */
const AROUND = 100;
const MAX_QUERY = 200;
/** Places looked for; in `aaaa...` the letter a has too many. */
const MAX_PLACES = 1000;

/**
 * The places of `query` in a result from part `from` on, in upper or lower case and with any white space between its
 * words, each with the text around it, as many as a part has room for.
 */
function searchResult(result: KeptResult, query: string, from: number): string {
  const { text, partChars, reference } = result;
  const words = query.trim().slice(0, MAX_QUERY);
  const places = placesOf(text, words, (from - 1) * partChars);
  const range = from > 1 ? ` from part ${from} on` : '';
  if (places.length === 0) return `"${words}" does not occur in result ${reference}${range}.`;
  const shown: string[] = [];
  let room = partChars;
  for (const { start, end } of joined(places, text.length)) {
    const dots = [start > 0 ? '...' : '', end < text.length ? '...' : ''] as const;
    const piece = pieceOf(text, start, Math.min(end, start + partChars));
    const line = `part ${partAt(result, start)}: ${dots[0]}${piece}${dots[1]}`;
    room -= line.length;
    if (room < 0 && shown.length > 0) return `${shown.join('\n')}\n${moreNote(result, words, from, start)}`;
    shown.push(line);
  }
  return shown.join('\n');
}

/** The places with the text around them; those close together as one. */
function joined(places: readonly Range[], length: number): Range[] {
  const ranges: Range[] = [];
  for (const place of places) {
    const start = Math.max(0, place.start - AROUND);
    const end = Math.min(length, place.end + AROUND);
    const last = ranges.at(-1);
    if (last && start <= last.end) ranges[ranges.length - 1] = { start: last.start, end };
    else ranges.push({ start, end });
  }
  return ranges;
}

/** How to go on from the range at `start`. A search from there would find the same again if it is in the first part. */
function moreNote(result: KeptResult, words: string, from: number, start: number): string {
  const parts = partCount(result);
  const next = Math.max(partAt(result, start), from + 1);
  if (next > parts) return `[there are more places in part ${parts}]`;
  const call = `{"result": "${result.reference}", "search": ${JSON.stringify(words)}, "part": ${next}}`;
  return `[there are more places; ${call} searches from part ${next} of ${parts} on]`;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

const partAt = ({ partChars }: KeptResult, place: number): number => Math.floor(place / partChars) + 1;

function placesOf(text: string, words: string, from: number): Range[] {
  const pattern = words
    .split(/\s+/)
    .map(word => word.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'))
    .join('\\s+');
  const places: Range[] = [];
  const search = new RegExp(pattern, 'gi');
  search.lastIndex = from;
  for (let match = search.exec(text); match && places.length < MAX_PLACES; match = search.exec(text))
    places.push({ start: match.index, end: match.index + match[0].length });
  return places;
}
