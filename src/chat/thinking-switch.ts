import type { Message } from './message.ts';
import type { ChatTemplate } from './template.ts';
import { tryRender } from './try-render.ts';

/** The variables of a rendering that turn thinking on or off. */
export interface ThinkingSetting {
  readonly variables: Readonly<Record<string, unknown>>;
  /** Appended to the system message, for templates that look for a word there. */
  readonly word?: string;
}

/** A template's own switch for thinking. */
export interface ThinkingSwitch {
  readonly on: ThinkingSetting;
  readonly off: ThinkingSetting;
  /** False: `off` only makes the model think less. */
  readonly stops: boolean;
}

const variable = (name: string, on: unknown, off: unknown) => ({
  on: { variables: on === undefined ? {} : { [name]: on } },
  off: { variables: { [name]: off } },
});

/** The switches of known families, the most common first. */
const CANDIDATES: readonly {
  readonly on: ThinkingSetting;
  readonly off: ThinkingSetting;
  /** The variable has levels, and the lowest may still think a little. */
  readonly graded?: boolean;
}[] = [
  variable('enable_thinking', true, false),
  // DeepSeek V3.1, in its official template.
  variable('thinking', true, false),
  // Seed-OSS: a budget of thinking tokens; without it there is no limit.
  variable('thinking_budget', undefined, 0),
  // Nemotron Nano v2.
  { on: { variables: {}, word: '/think' }, off: { variables: {}, word: '/no_think' } },
  // gpt-oss and Solar Open; both know these two levels.
  { ...variable('reasoning_effort', 'high', 'low'), graded: true },
];

const SYSTEM = { role: 'system', content: 'system_5be1' };
const USER = { role: 'user', content: 'user_c04d' };

/** Finds the switch by its effect on a small prompt; undefined: the template has none. */
export function findThinkingSwitch(
  template: ChatTemplate,
  tokens: { readonly bosToken?: string | undefined; readonly eosToken?: string | undefined } = {},
): ThinkingSwitch | undefined {
  const render = ({ variables, word }: ThinkingSetting) => {
    const system = word ? { ...SYSTEM, content: `${SYSTEM.content}\n${word}` } : SYSTEM;
    const prompt = tryRender(template, { ...tokens, ...variables, messages: [system, USER] });
    return prompt ?? (word ? undefined : tryRender(template, { ...tokens, ...variables, messages: [USER] }));
  };
  for (const { on, off, graded } of CANDIDATES) {
    const [thinks, quiet] = [render(on), render(off)];
    if (thinks === undefined || quiet === undefined) continue;
    const startsElse = replyStart(thinks) !== replyStart(quiet);
    // To most templates the word is just text, not a switch.
    if (startsElse || (on.word === undefined && thinks !== quiet)) {
      return { on, off, stops: startsElse || !graded };
    }
  }
  return undefined;
}

/** The template's text after the user's, where the reply starts; '' if it does not render the user's text. */
function replyStart(prompt: string): string {
  const at = prompt.lastIndexOf(USER.content);
  return at < 0 ? '' : prompt.slice(at + USER.content.length);
}

/** `messages` with the setting's word at the end of the system message. */
export function withThinkingWord(
  messages: readonly Message[],
  { word }: ThinkingSetting,
): readonly Message[] {
  if (word === undefined) return messages;
  const [first, ...rest] = messages;
  if (first?.role !== 'system') return [{ role: 'system', content: word }, ...messages];
  return [{ role: 'system', content: `${first.content}\n${word}` }, ...rest];
}
