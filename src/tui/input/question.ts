import { type Choice, choicesFor } from '../../text/choice.ts';
import { graphemes } from './edit-text.ts';
import type { Key } from './keys.ts';

/** A question with a fixed set of answers, and what has been answered so far. */
export interface QuestionState {
  readonly title: string;
  readonly choices: readonly Choice[];
  /** The selected choice; -1: what is typed means none, or several. */
  readonly index: number;
  readonly typed: string;
  /** Why the last Enter was no answer. */
  readonly note: string;
}

/** A key's effect; `none`: the question is dismissed, which is not an answer. */
export type QuestionEffect =
  | { readonly type: 'chosen'; readonly choice: Choice }
  | { readonly type: 'none' | 'interrupt' | 'suspend' };

const MOST_TYPED = 40;

/** `start` is the word of the choice that Enter takes at first. */
export function ask(title: string, choices: readonly Choice[], start: string): QuestionState {
  return { title, choices, index: choices.findIndex(({ word }) => word === start), typed: '', note: '' };
}

/**
 * Applies one key: arrows and Tab select, Enter takes what is selected. Words are typed out and need Enter, since
 * somebody may have been typing a prompt when the question came. Pure.
 */
export function answer(
  state: QuestionState,
  key: Key,
): { readonly state: QuestionState; readonly effect?: QuestionEffect } {
  if (key.type === 'paste') return { state };
  if (key.type === 'text') return { state: typing(state, state.typed + key.text) };
  switch (key.name) {
    case 'up':
    case 'shift+tab':
      return { state: moved(state, -1) };
    case 'down':
    case 'tab':
      return { state: moved(state, 1) };
    case 'backspace':
      return { state: typing(state, graphemes(state.typed).slice(0, -1).join('')) };
    case 'enter':
      return entered(state);
    case 'escape':
    case 'ctrl+d':
      return { state, effect: { type: 'none' } };
    case 'ctrl+c':
      return { state, effect: { type: 'interrupt' } };
    case 'ctrl+z':
      return { state, effect: { type: 'suspend' } };
    default:
      return { state };
  }
}

function moved(state: QuestionState, step: number): QuestionState {
  const count = state.choices.length;
  const index = state.index < 0 && step < 0 ? count - 1 : (state.index + step + count) % count;
  return { ...state, index, typed: '', note: '' };
}

function typing(state: QuestionState, text: string): QuestionState {
  const typed = text.slice(0, MOST_TYPED);
  const [only, ...more] = choicesFor(typed, state.choices);
  const index = only && more.length === 0 ? state.choices.indexOf(only) : -1;
  return { ...state, typed, index, note: '' };
}

function entered(state: QuestionState) {
  const choice = state.choices[state.index];
  if (choice) return { state, effect: { type: 'chosen' as const, choice } };
  const words = state.choices.map(({ word }) => word).join(', ');
  return { state: { ...state, typed: '', note: `'${state.typed.trim()}' is none of ${words}` } };
}
