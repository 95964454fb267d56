/** What a model answered: its calls, how many more could not be read, and its text. */
export interface Answered {
  readonly calls: readonly { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> }[];
  readonly malformed: number;
  readonly text: string;
}

type Call = readonly [name: string, args: Readonly<Record<string, unknown>>];

/** What must follow in a dialogue. */
export interface Step {
  readonly call?: Call;
  readonly or?: readonly Call[];
  readonly says?: readonly string[];
  readonly not?: readonly string[];
  readonly asks?: readonly string[];
}

export function refuses(text: string, sentences?: number): boolean;
export function says(text: string, wanted?: readonly string[]): boolean;
export function namedTools(text: string, names: readonly string[]): number;
export function judgeDenial(
  wanted: { readonly tool: string; readonly arguments?: readonly Readonly<Record<string, unknown>>[] },
  answered: Answered,
): 'right' | 'arguments' | 'tool' | 'denied' | 'words';
export function judgePlain(
  wanted: { readonly kind?: string; readonly says?: readonly string[]; readonly names?: number },
  answered: Answered,
  tools: readonly string[],
): 'right' | 'called' | 'silent' | 'refused' | 'wrong';
export function stepsDone(steps: readonly Step[], answered: Answered): number;
export function sameArguments(
  wanted: Readonly<Record<string, unknown>>,
  got: Readonly<Record<string, unknown>>,
): boolean;
