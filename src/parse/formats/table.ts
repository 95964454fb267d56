import type { ChatFormat } from './format.ts';
import { hermes } from './hermes.ts';

/** In order of choice: the first row whose mark stands in the template. */
const FORMATS: readonly ChatFormat[] = [hermes];

export function formatNamed(id: string): ChatFormat | undefined {
  return FORMATS.find(format => format.id === id);
}

export function formatIds(): string[] {
  return FORMATS.map(format => format.id);
}

/** The format of a template; undefined if it bears no known mark. */
export function formatOfTemplate(template: string): ChatFormat | undefined {
  return FORMATS.find(format => format.when.some(mark => template.includes(mark)));
}
