import type { ChatFormat } from './format.ts';

/** What goes before the marks that the built-in table knows; nothing: those decide. */
export interface CallFormatChoice {
  readonly responseTemplate?: object;
  readonly format?: ChatFormat;
}

/** A choice for the templates whose marks it knows. */
export type CallFormatEntry = CallFormatChoice & Pick<ChatFormat, 'id' | 'when'>;
