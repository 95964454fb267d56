import { formatOfTemplate } from '../parse/formats/table.ts';
import type { ChatTemplate, RenderOptions } from './template.ts';
import { findThinkingSwitch, type ThinkingSwitch } from './thinking-switch.ts';
import { tryRender } from './try-render.ts';

/** What a template does by itself; what it does not do, the host does in text. */
export interface TemplateCapability {
  /** Tool definitions reach the prompt. */
  readonly rendersTools: boolean;
  /** Earlier tool calls reach the prompt. */
  readonly rendersCalls: boolean;
  /** Results reach the prompt in the tool role. */
  readonly rendersResults: boolean;
  /** Both of two calls in one message reach the prompt. */
  readonly severalCalls: boolean;
  /** A system message is accepted and shown. */
  readonly systemRole: boolean;
  /** Arguments may be an object; false: the template wants a JSON string. */
  readonly objectArguments: boolean;
  /** A system message takes the place of the template's own words on how to call tools. */
  readonly hidesInstructions?: true;
  /** What makes the model think or not; undefined: nothing does. */
  readonly thinking?: ThinkingSwitch | undefined;
}

const NEEDLE = 'needle_7f3a';
const SECOND = 'needle_91c2';

/** Renders a few small conversations and looks for what came through. */
export function probeTemplate(
  template: ChatTemplate,
  tokens: { readonly bosToken?: string | undefined; readonly eosToken?: string | undefined } = {},
): TemplateCapability {
  const user = { role: 'user', content: 'Hello' };
  const shows = (options: RenderOptions, needle = NEEDLE) =>
    (tryRender(template, { ...tokens, ...options }) ?? '').includes(needle);
  const withCalls = (all: readonly unknown[], result = 'done') => ({
    messages: [
      user,
      { role: 'assistant', content: '', tool_calls: all.map(callWith) },
      ...all.map((_, index) => ({ role: 'tool', content: result, name: 'probe', tool_call_id: idOf(index) })),
    ],
    tools: [toolNamed('probe')],
  });
  const withCall = (args: unknown) => withCalls([args]);
  const withSystem = [{ role: 'system', content: NEEDLE }, user];
  const objectArguments = shows(withCall({ key: NEEDLE }));
  const openers = formatOfTemplate(template.source)?.calls.map(call => call.opener) ?? [];
  const tools = [toolNamed('probe')];
  const hidesInstructions = openers.some(
    opener => shows({ messages: [user], tools }, opener) && !shows({ messages: withSystem, tools }, opener),
  );
  return {
    rendersTools: shows({ messages: [user], tools: [toolNamed(NEEDLE)] }),
    rendersCalls: objectArguments || shows(withCall(JSON.stringify({ key: NEEDLE }))),
    rendersResults: shows(withCalls([objectArguments ? {} : '{}'], NEEDLE)),
    severalCalls: shows(
      withCalls(
        [{ key: NEEDLE }, { key: SECOND }].map(args => (objectArguments ? args : JSON.stringify(args))),
      ),
      SECOND,
    ),
    // A template written for tools only may fail without them.
    systemRole: shows({ messages: withSystem }) || shows({ messages: withSystem, tools }),
    objectArguments,
    ...(hidesInstructions && { hidesInstructions }),
    thinking: findThinkingSwitch(template, tokens),
  };
}

// Some templates want ids of nine letters and digits.
const idOf = (index: number) => `call0000${index + 1}`;

function callWith(args: unknown, index: number) {
  return { id: idOf(index), type: 'function', function: { name: 'probe', arguments: args } };
}

function toolNamed(name: string) {
  const properties = { key: { type: 'string', description: 'A value' } };
  return {
    type: 'function',
    function: { name, description: 'A tool', parameters: { type: 'object', properties, required: ['key'] } },
  };
}
