import { stripControls } from '../../text/clean/strip-controls.ts';
import { type Completion, completesUnasked } from './complete.ts';
import * as text from './edit-text.ts';
import type { Key } from './keys.ts';
import { expandPastes, type Folded, isLarge, PLACEHOLDER, placeholder, withPastes } from './pastes.ts';

/** The prompt being typed. */
export interface EditorState {
  readonly text: string;
  /** Index into `text`, always between graphemes. */
  readonly cursor: number;
  /** The text that Ctrl+Y yanks. */
  readonly killed: string;
  /** Large pastes; `text` holds a placeholder for each. */
  readonly pastes: readonly string[];
  /** Set while a history entry is shown; `draft` is what Down past the newest entry brings back. */
  readonly browse: { readonly index: number; readonly draft: string } | undefined;
  /** Set during Ctrl+R: `index` is the newest history entry that contains `query`, or -1. */
  readonly search: { readonly query: string; readonly index: number; readonly draft: string } | undefined;
  /** `index` is -1 until an option is selected, which puts it in the text. */
  readonly menu: (Completion & { readonly index: number }) | undefined;
  /** Esc was pressed once; a second Esc clears the text. */
  readonly escaped: boolean;
}

export interface EditorContext {
  /** Oldest first. */
  readonly history: readonly string[];
  /** An entry of the history as it was typed; undefined: nothing in it is folded. */
  readonly folded?: (entry: string) => Folded | undefined;
  /** A turn is running: Esc and Ctrl+C cancel it. */
  readonly busy: boolean;
  readonly complete: (text: string, cursor: number) => Completion | undefined;
}

/** A key's effect beyond editing, for the program to perform. */
export type EditorEffect =
  /** `folded` is the text as typed, if it holds folded pastes. */
  | { readonly type: 'submit'; readonly text: string; readonly folded?: string }
  | { readonly type: 'cancel' | 'interrupt' | 'suspend' | 'leave' | 'redraw' | 'expand' | 'editor' };

export interface Edited {
  readonly state: EditorState;
  readonly effect?: EditorEffect;
}

export const EMPTY: EditorState = {
  text: '',
  cursor: 0,
  killed: '',
  pastes: [],
  escaped: false,
  browse: undefined,
  search: undefined,
  menu: undefined,
};

/** Applies one key. Pure. */
export function edit(state: EditorState, key: Key, context: EditorContext): Edited {
  if (state.search) return searching(state, state.search, key, context);
  if (key.type === 'paste') return { state: paste(calm(state), stripControls(key.text)) };
  if (key.type === 'text') return { state: suggest(insert(calm(state), key.text), context) };
  if (key.name === 'tab' || key.name === 'shift+tab') {
    return { state: complete(state, key.name === 'tab' ? 1 : -1, context) };
  }
  if (state.menu && (key.name === 'up' || key.name === 'down')) {
    return { state: complete(state, key.name === 'down' ? 1 : -1, context) };
  }
  if (key.name === 'escape') return escapeKey(state, context);
  if (key.name === 'enter') return enter(state, context);
  const action = ACTIONS[key.name];
  return action ? action(calm(state), context) : { state: calm(state) };
}

/** Replaces the text and puts the cursor at its end. */
export const withText = (state: EditorState, typed: string): EditorState => ({
  ...state,
  text: typed,
  cursor: typed.length,
});

/** An empty prompt. The pastes stay as long as Ctrl+Y may bring one back. */
const emptied = ({ killed, pastes }: EditorState): EditorState => ({
  ...EMPTY,
  killed,
  pastes: killed.search(PLACEHOLDER) < 0 ? [] : pastes,
});

const calm = (state: EditorState): EditorState =>
  state.menu || state.escaped ? { ...state, menu: undefined, escaped: false } : state;

type Action = (state: EditorState, context: EditorContext) => Edited;

const move =
  (to: (typed: string, at: number) => number): Action =>
  state => ({ state: { ...state, cursor: to(state.text, state.cursor) } });

/** Deletes from the cursor to the index that `to` returns, in either direction, and placeholders whole. */
const remove =
  (to: (typed: string, at: number) => number, keep: boolean): Action =>
  state => {
    const other = to(state.text, state.cursor);
    if (other === state.cursor) return { state };
    const [start, end] = withPlaceholders(
      state,
      Math.min(other, state.cursor),
      Math.max(other, state.cursor),
    );
    const cut = state.text.slice(start, end);
    const rest = state.text.slice(0, start) + state.text.slice(end);
    return {
      state: { ...state, text: rest, cursor: start, killed: keep ? cut : state.killed, browse: undefined },
    };
  };

const newline: Action = state => ({ state: insert(state, '\n') });

const ACTIONS: Readonly<Record<string, Action>> = {
  'ctrl+j': newline,
  'alt+enter': newline,
  'shift+enter': newline,
  left: move(text.previousIndex),
  right: move(text.nextIndex),
  'ctrl+b': move(text.previousIndex),
  'ctrl+f': move(text.nextIndex),
  home: move(text.lineStart),
  end: move(text.lineEnd),
  'ctrl+a': move(text.lineStart),
  'ctrl+e': move(text.lineEnd),
  'alt+b': move(text.wordStart),
  'alt+f': move(text.wordEnd),
  'ctrl+left': move(text.wordStart),
  'ctrl+right': move(text.wordEnd),
  'alt+left': move(text.wordStart),
  'alt+right': move(text.wordEnd),
  backspace: (state, context) => {
    const edited = remove(text.previousIndex, false)(state, context);
    return { ...edited, state: suggest(edited.state, context) };
  },
  delete: remove(text.nextIndex, false),
  'ctrl+k': remove(
    (typed, at) => (text.lineEnd(typed, at) === at ? text.nextIndex(typed, at) : text.lineEnd(typed, at)),
    true,
  ),
  'ctrl+u': remove(text.lineStart, true),
  'ctrl+w': remove(text.blankWordStart, true),
  'alt+backspace': remove(text.wordStart, true),
  'alt+d': remove(text.wordEnd, true),
  'ctrl+y': state => ({ state: insert(state, state.killed) }),
  up: (state, context) => ({ state: upOrOlder(state, context) }),
  down: (state, context) => ({ state: downOrNewer(state, context) }),
  'ctrl+p': (state, context) => ({ state: browse(state, context, -1) }),
  'ctrl+n': (state, context) => ({ state: browse(state, context, 1) }),
  'ctrl+r': (state, { history }) => ({
    state: { ...state, search: { query: '', index: history.length, draft: state.text } },
  }),
  'ctrl+c': (state, { busy }) => {
    if (busy) return { state, effect: { type: 'interrupt' } };
    if (state.text !== '') return { state: emptied(state) };
    return { state, effect: { type: 'leave' } };
  },
  'ctrl+d': (state, context) =>
    state.text === '' ? { state, effect: { type: 'leave' } } : remove(text.nextIndex, false)(state, context),
  'ctrl+l': state => ({ state, effect: { type: 'redraw' } }),
  'ctrl+o': state => ({ state, effect: { type: 'expand' } }),
  'ctrl+g': state => ({ state, effect: { type: 'editor' } }),
  'ctrl+z': state => ({ state, effect: { type: 'suspend' } }),
};

function insert(state: EditorState, added: string): EditorState {
  const at = behindPlaceholder(state);
  const typed = state.text.slice(0, at) + added + state.text.slice(at);
  return { ...state, text: typed, cursor: at + added.length, browse: undefined };
}

/** The cursor, or the end of the placeholder that it is in: text in it would be sent in the place of the paste. */
function behindPlaceholder({ text: typed, cursor, pastes }: EditorState): number {
  for (const { index, 0: mark, 1: number } of typed.matchAll(PLACEHOLDER)) {
    const end = index + mark.length;
    if (index < cursor && cursor < end && pastes[Number(number) - 1] !== undefined) return end;
  }
  return cursor;
}

function paste(state: EditorState, pasted: string): EditorState {
  if (!isLarge(pasted)) return insert(state, pasted);
  const mark = placeholder(state.pastes.length, pasted);
  return insert({ ...state, pastes: [...state.pastes, pasted] }, mark);
}

/** A range of the text, widened to the placeholders that it cuts: a part of one would be sent as it stands. */
function withPlaceholders({ text: typed }: EditorState, start: number, end: number): [number, number] {
  const cut = [...typed.matchAll(PLACEHOLDER)].filter(
    ({ index, 0: mark }) => index < end && index + mark.length > start,
  );
  const last = cut.at(-1);
  return [Math.min(start, cut[0]?.index ?? start), Math.max(end, last ? last.index + last[0].length : end)];
}

/** A folder is only the beginning of a path. */
const isFolder = (option: string): boolean => option.startsWith('@') && option.endsWith('/');

/** Sends the prompt; on a folder in the menu opens it instead. */
function enter(state: EditorState, context: EditorContext): Edited {
  const { menu } = state;
  const chosen = menu && menu.index >= 0 ? (menu.options[menu.index] ?? '') : '';
  if (isFolder(chosen)) return { state: suggest({ ...state, menu: undefined }, context) };
  return submit(calm(state));
}

function submit(state: EditorState): Edited {
  if (state.text[state.cursor - 1] === '\\') {
    const typed = `${state.text.slice(0, state.cursor - 1)}\n${state.text.slice(state.cursor)}`;
    return { state: { ...state, text: typed } };
  }
  if (state.text.trim() === '') return { state: emptied(state) };
  const submitted = expandPastes(state);
  const folded = submitted === state.text ? {} : { folded: state.text };
  return {
    state: emptied(state),
    effect: { type: 'submit', text: submitted, ...folded },
  };
}

function escapeKey(state: EditorState, { busy }: EditorContext): Edited {
  if (state.menu) return { state: calm(state) };
  if (busy) return { state, effect: { type: 'cancel' } };
  if (state.escaped) return { state: emptied(state) };
  return { state: { ...state, escaped: state.text !== '' } };
}

function upOrOlder(state: EditorState, context: EditorContext): EditorState {
  const start = text.lineStart(state.text, state.cursor);
  if (start === 0) return browse(state, context, -1);
  const above = text.lineStart(state.text, start - 1);
  return { ...state, cursor: columnIn(state.text, above, start - 1, state.cursor - start) };
}

function downOrNewer(state: EditorState, context: EditorContext): EditorState {
  const end = text.lineEnd(state.text, state.cursor);
  if (end === state.text.length) return browse(state, context, 1);
  const column = state.cursor - text.lineStart(state.text, state.cursor);
  return { ...state, cursor: columnIn(state.text, end + 1, text.lineEnd(state.text, end + 1), column) };
}

/** The grapheme boundary nearest to `column` in the line from `start` to `end`. */
function columnIn(typed: string, start: number, end: number, column: number): number {
  let at = start;
  for (const grapheme of text.graphemes(typed.slice(start, end))) {
    if (at - start + grapheme.length > column) break;
    at += grapheme.length;
  }
  return at;
}

function browse(state: EditorState, context: EditorContext, step: number): EditorState {
  const { history } = context;
  const from = state.browse ?? { index: history.length, draft: state.text };
  const index = from.index + step;
  if (index < 0 || index > history.length) return state;
  if (index === history.length) return { ...withText(state, from.draft), browse: undefined };
  return { ...recalled(state, history[index] ?? '', context), browse: { ...from, index } };
}

/** Shows an entry of the history. What was pasted into it stays a paste: it may name no files. */
function recalled(state: EditorState, entry: string, { folded }: EditorContext): EditorState {
  const prompt = folded?.(entry);
  if (prompt === undefined) return withText(state, entry);
  const { text: typed, pastes } = withPastes(prompt, state.pastes);
  return withText({ ...state, pastes }, typed);
}

/** Opens the menu, unless the only option is typed already. */
function suggest(state: EditorState, context: EditorContext): EditorState {
  const { text: typed, cursor } = state;
  if (!completesUnasked(typed, cursor)) return state;
  const found = context.complete(typed, cursor);
  if (!found || (found.options.length === 1 && found.options[0] === typed.slice(found.start, cursor)))
    return state;
  return { ...state, menu: { ...found, index: -1 } };
}

function complete(state: EditorState, step: number, context: EditorContext): EditorState {
  const found = state.menu ?? context.complete(state.text, state.cursor);
  if (!found || found.options.length === 0) return state;
  const count = found.options.length;
  const first = step > 0 ? 0 : count - 1;
  const index = !state.menu ? 0 : state.menu.index < 0 ? first : (state.menu.index + step + count) % count;
  const chosen = found.options[index] ?? '';
  const option = `${chosen}${count === 1 && !found.open && !isFolder(chosen) ? ' ' : ''}`;
  const typed = state.text.slice(0, found.start) + option + state.text.slice(state.cursor);
  const menu = count === 1 ? undefined : { ...found, index };
  const next = { ...state, text: typed, cursor: found.start + option.length, menu, browse: undefined };
  return count === 1 && isFolder(chosen) ? suggest(next, context) : next;
}

/**
 * Completions that took time, for the text as it stands.
 * @param asked by Tab: the first one is put in the text
 */
export function offer(state: EditorState, found: Completion, asked: boolean): EditorState {
  if (state.menu || state.search || found.options.length === 0) return state;
  const context = { history: [], busy: false, complete: () => found };
  if (asked) return complete(state, 1, context);
  const [first] = found.options;
  const typed = state.text.slice(found.start, state.cursor);
  return found.options.length === 1 && first === typed ? state : { ...state, menu: { ...found, index: -1 } };
}

function searching(
  state: EditorState,
  search: NonNullable<EditorState['search']>,
  key: Key,
  context: EditorContext,
): Edited {
  const { history } = context;
  const find = (query: string, before: number): Edited => {
    const index = history.findLastIndex((entry, at) => at < before && entry.includes(query));
    const shown = history[index];
    const next = { ...state, search: { ...search, query, index } };
    return { state: shown === undefined || query === '' ? next : recalled(next, shown, context) };
  };
  if (key.type !== 'key') return find(search.query + stripControls(key.text), history.length);
  if (key.name === 'ctrl+r') {
    const older = find(search.query, search.index);
    return older.state.search?.index === -1 ? { state } : older;
  }
  if (key.name === 'backspace')
    return find(text.graphemes(search.query).slice(0, -1).join(''), history.length);
  const ended = { ...state, search: undefined };
  if (key.name === 'escape' || key.name === 'ctrl+c' || key.name === 'ctrl+g') {
    return { state: withText(ended, search.draft) };
  }
  return key.name === 'tab' ? { state: ended } : edit(ended, key, context);
}
