import type { ChatFormat } from '../types/format.ts';
import { THINK } from '../types/thinking.ts';
import { gemma3 } from './code/gemma-3.ts';
import { llama3 } from './code/llama-3.ts';
import { hermes } from './json/hermes.ts';
import { formatOfUser, type UserFormat } from './user-format.ts';

/** How to present tools to a model that was not trained on a call format. */
export interface PromptStyle extends ChatFormat {
  /** Text for the system message, with `{tools}`, `{call}` and `{result}`. Default: plain English. */
  readonly instructions?: string;
}

/** A style as written in config.json. */
export type UserPromptStyle = Omit<UserFormat, 'id' | 'when'> & { readonly instructions?: string };

const STYLES: Readonly<Record<string, PromptStyle>> = {
  generic: hermes,
  llama: llama3,
  code: { ...gemma3, thinking: THINK },
};

/** Looks up a style by name, the user's own first. */
export function promptStyleNamed(
  name: string,
  own: Readonly<Record<string, UserPromptStyle>> = {},
): PromptStyle | undefined {
  const style = Object.hasOwn(own, name) ? own[name] : undefined;
  if (!style) return Object.hasOwn(STYLES, name) ? STYLES[name] : undefined;
  const format = formatOfUser({ ...style, id: name, when: [] });
  return style.instructions === undefined ? format : { ...format, instructions: style.instructions };
}

export function promptStyleNames(own: Readonly<Record<string, UserPromptStyle>> = {}): string[] {
  return [...new Set([...Object.keys(STYLES), ...Object.keys(own)])];
}
