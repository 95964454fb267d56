import type { ChatFormat } from './format.ts';

/** Overrides the built-in formats; if empty, the marks in the template decide. */
export interface CallFormatChoice {
  readonly responseTemplate?: object;
  readonly format?: ChatFormat;
}

/** A choice for templates with certain marks. */
export type CallFormatEntry = CallFormatChoice & Pick<ChatFormat, 'id' | 'when'>;
