import { formatOfTemplate } from '../parse/formats/table.ts';
import type { ChatTemplate, RenderOptions } from './template.ts';
import { findThinkingSwitch, type ThinkingSwitch } from './thinking-switch.ts';
import { tryRender } from './try-render.ts';

/** The features a template supports; the rest is done in text. */
export interface TemplateCapability {
  /** Tool definitions reach the prompt. */
  readonly rendersTools: boolean;
  /** Earlier tool calls reach the prompt. */
  readonly rendersCalls: boolean;
  /** Results reach the prompt in the tool role. */
  readonly rendersResults: boolean;
  /** Both of two calls in one message reach the prompt. */
  readonly severalCalls: boolean;
  /** System messages are accepted and rendered. */
  readonly systemRole: boolean;
  /** Arguments may be objects; false: the template expects a JSON string. */
  readonly objectArguments: boolean;
  /** A system message replaces the template's own instructions on calling tools. */
  readonly hidesInstructions?: true;
  /** Ids of calls must have nine letters or digits. */
  readonly nineLetterIds?: true;
  /** User messages must be answered before the next one: it refuses other conversations. */
  readonly alternates?: true;
  /** Turns thinking on or off; undefined: there is no switch. */
  readonly thinking?: ThinkingSwitch | undefined;
}

const NEEDLE = 'needle_7f3a';
const SECOND = 'needle_91c2';

/** Renders a few small conversations and checks what comes through. */
export function probeTemplate(
  template: ChatTemplate,
  tokens: { readonly bosToken?: string | undefined; readonly eosToken?: string | undefined } = {},
): TemplateCapability {
  const user = { role: 'user', content: 'Hello' };
  const shows = (options: RenderOptions, needle = NEEDLE) =>
    (tryRender(template, { ...tokens, ...options }) ?? '').includes(needle);
  const withCalls = (all: readonly unknown[], result = 'done', idOf = nineLetters) => ({
    messages: [
      user,
      { role: 'assistant', content: '', tool_calls: all.map((args, index) => callWith(args, idOf(index))) },
      ...all.map((_, index) => ({ role: 'tool', content: result, name: 'probe', tool_call_id: idOf(index) })),
    ],
    tools: [toolNamed('probe')],
  });
  const withCall = (args: unknown) => withCalls([args]);
  const withSystem = [{ role: 'system', content: NEEDLE }, user];
  const objectArguments = shows(withCall({ key: NEEDLE }));
  const openers = formatOfTemplate(template.source)?.calls.map(call => call.opener) ?? [];
  const none = objectArguments ? {} : '{}';
  const rendersResults = shows(withCalls([none], NEEDLE));
  const nineLetterIds = rendersResults && !shows(withCalls([none], NEEDLE, index => `call_${index}`));
  const tools = [toolNamed('probe')];
  const last = { role: 'user', content: NEEDLE };
  const alternates =
    !shows({ messages: [user, last], tools }) &&
    shows({ messages: [user, { role: 'assistant', content: 'Hi' }, last], tools });
  const hidesInstructions = openers.some(
    opener => shows({ messages: [user], tools }, opener) && !shows({ messages: withSystem, tools }, opener),
  );
  return {
    rendersTools: shows({ messages: [user], tools: [toolNamed(NEEDLE)] }),
    rendersCalls: objectArguments || shows(withCall(JSON.stringify({ key: NEEDLE }))),
    rendersResults,
    severalCalls: shows(
      withCalls(
        [{ key: NEEDLE }, { key: SECOND }].map(args => (objectArguments ? args : JSON.stringify(args))),
      ),
      SECOND,
    ),
    // A template that is only for tools may fail without them.
    systemRole: shows({ messages: withSystem }) || shows({ messages: withSystem, tools }),
    objectArguments,
    ...(hidesInstructions && { hidesInstructions }),
    ...(nineLetterIds && { nineLetterIds }),
    ...(alternates && { alternates }),
    thinking: findThinkingSwitch(template, tokens),
  };
}

// Some templates require ids of nine letters or digits.
const nineLetters = (index: number) => `call0000${index + 1}`;

function callWith(args: unknown, id: string) {
  return { id, type: 'function', function: { name: 'probe', arguments: args } };
}

function toolNamed(name: string) {
  const properties = { key: { type: 'string', description: 'A value' } };
  return {
    type: 'function',
    function: { name, description: 'A tool', parameters: { type: 'object', properties, required: ['key'] } },
  };
}
