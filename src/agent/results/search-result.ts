import { type KeptResult, partCount } from './kept-results.ts';
import { pieceOf } from './result-limit.ts';

/** UTF-16 units shown on either side of a place. */
const AROUND = 100;
const MAX_QUERY = 200;
/** Places looked for; in `aaaa...` the letter a has too many. */
const MAX_PLACES = 1000;

/**
 * The places of `query` in a result from part `from` on, in upper or lower case and with any white space between its
 * words, each with the text around it, as many as a part has room for.
 */
export function searchResult(result: KeptResult, query: string, from: number): string {
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
