import { LlmHostError } from '../../../errors.ts';
import type { HostTool, ToolHost } from '../../../mcp/tool-host.ts';
import { stripControls } from '../../../text/clean/strip-controls.ts';
import { visible } from '../../../text/clean/visible.ts';
import { firstWords } from '../../../text/first-words.ts';
import { nearest } from '../../../text/nearest.ts';
import type { ChatSession } from '../../session/chat-session.ts';
import { shareText, tokenLines } from '../../tools/definition-tokens.ts';
import { describedTool } from '../../tools/titled-text.ts';
import { type Builtin, print } from '../base/builtin.ts';

const MAX_LINE_WORDS = 160;
const FORMS = '/tools, /tools NAME, /tools offered, /tools pin NAME, /tools unpin NAME, /tools ask NAME';
/** Forms that need a name. */
const NAMING = new Set(['pin', 'unpin', 'ask']);

export const tools: Builtin = {
  name: 'tools',
  argument: '[NAME|offered|pin|ask]',
  help: 'lists tools and their tokens, shows one, changes what is offered',
  plain: ['tools'],
  run: (session, argument) => {
    if (argument === '') return print(listOf(session));
    const [verb, name = '', ...more] = argument.split(/\s+/);
    if (verb === 'offered' && name === '') return print(offeredText(session));
    if (verb !== undefined && name === '') {
      const found = session.tools.tools().filter(tool => nameOf(tool) === verb || tool.server === verb);
      if (found.length > 0) return print(stripControls(shown(found, verb)));
      if (!NAMING.has(verb)) throw unknownName(session.tools, verb, FORMS);
    }
    if (name !== '' && more.length === 0) {
      if (verb === 'pin') return print(pin(session, name));
      if (verb === 'unpin') {
        const was = session.offer.unpin(name);
        return print(was ? `'${visible(name)}' is no longer pinned.` : `'${visible(name)}' was not pinned.`);
      }
      if (verb === 'ask') return print(ask(session.tools, name));
    }
    throw new LlmHostError('USAGE', `there is no /tools ${argument}`, { hint: FORMS });
  },
};

const nameOf = ({ definition }: HostTool): string => definition.function.name;

/** In one line; what a description says further is shown by the tool's name. */
function lineOf(tool: HostTool): string {
  const words = firstWords(tool.definition.function.description ?? '', MAX_LINE_WORDS);
  return describedTool(nameOf(tool), tool.server, tool.title, words);
}

/** A tool as the model may know it, or the tools of a server in a line each. */
function shown(tools: readonly HostTool[], name: string): string {
  const tool = tools.find(one => nameOf(one) === name);
  return tool === undefined ? tools.map(lineOf).join('\n') : toolDetails(tool);
}

const namesOf = (host: ToolHost): string[] => [
  ...new Set(host.tools().flatMap(tool => [nameOf(tool), tool.server])),
];

function unknownName(host: ToolHost, name: string, advice: string): LlmHostError {
  const near = nearest(name, namesOf(host));
  return new LlmHostError('USAGE', `there is no tool or server '${name}'`, {
    hint: near ? `Did you mean '${near}'?` : advice,
  });
}

function pin({ tools: host, offer }: ChatSession, name: string): string {
  if (!namesOf(host).includes(name)) throw unknownName(host, name, '/tools lists all.');
  offer.pin(name);
  return `'${visible(name)}' is offered from the next prompt on.`;
}

function ask(host: ToolHost, name: string): string {
  const known = host.tools().find(tool => nameOf(tool) === name)?.tool ?? name;
  const taken = host.approvals?.takeBack(known) === true;
  return taken ? `'${visible(known)}' is asked about again.` : `'${visible(name)}' was not always allowed.`;
}

function listOf({ tools: host, offer, opened }: ChatSession): string {
  const all = host.tools();
  if (all.length === 0) return stripControls(['No tools.', ...allowedLines(host)].join('\n'));
  const one = (tool: HostTool): number => offer.meter.one(tool.definition);
  const lines = all.map(lineOf);
  const total = offer.meter.all(all.map(tool => tool.definition));
  const share = `Tokens of the definitions: ${shareText(total, opened.model.contextLength)}`;
  return stripControls([...lines, share, ...tokenLines(all, one), ...allowedLines(host)].join('\n'));
}

function offeredText({ tools: host, offer }: ChatSession): string {
  const { latest } = offer;
  const total = host.tools().length;
  const pinned = offer.pinned.size > 0 ? `\nPinned: ${[...offer.pinned].join(', ')}` : '';
  const all = offer.fits(host.tools());
  const shown = total === 1 ? 'The only tool is' : `All ${total} tools are`;
  if (all) return stripControls(`${shown} offered.${pinned}`);
  if (latest === undefined || latest.tools.length >= latest.total)
    return stripControls(`The next prompt decides which of the ${total} tools are offered.${pinned}`);
  const names = latest.tools.map(nameOf).join(', ');
  return stripControls(
    `${latest.tools.length} of ${total} tools, ${latest.tokens} tokens (tools.budget: ${latest.budget}): ${names}${pinned}`,
  );
}

/** Names the tools that run without a question, and how to change that. */
function allowedLines({ approvals }: ToolHost): string[] {
  const allowed = approvals?.always() ?? [];
  if (allowed.length === 0) return [];
  const named = [...new Set(allowed.map(({ server, tool }) => `${visible(tool)} (${visible(server)})`))];
  return [`Always allowed, in ${approvals?.file}: ${named.join(', ')}`, '/tools ask NAME takes it back.'];
}

type Schema = Readonly<Record<string, unknown>>;

/** All that its server says of a tool: what it does, and a line for each argument. */
export function toolDetails({ definition, server, title }: HostTool): string {
  const { name, description, parameters } = definition.function;
  const { properties = {}, required = [] } = parameters as { properties?: Schema; required?: unknown };
  const needed = Array.isArray(required) ? required : [];
  const lines = Object.entries(properties).map(([key, schema]) =>
    argumentLine(key, schema, needed.includes(key)),
  );
  return [
    describedTool(name, server, title, description),
    lines.length === 0 ? 'It takes no arguments.' : 'Arguments:',
    ...lines,
  ].join('\n');
}

function argumentLine(name: string, schema: unknown, required: boolean): string {
  const { description } = objectOf(schema);
  const about = typeof description === 'string' && description !== '' ? `: ${description}` : '';
  return `  ${name} (${typeText(schema)}${required ? '' : ', optional'})${about}`;
}

/** `string`, `number or null`, `list of string`, `"a" or "b"`; `any` for what cannot be said in short. */
function typeText(schema: unknown): string {
  const { type, enum: values, items, anyOf, oneOf } = objectOf(schema);
  if (Array.isArray(values)) return values.map(value => JSON.stringify(value)).join(' or ');
  const others = Array.isArray(anyOf) ? anyOf : oneOf;
  if (type === undefined && Array.isArray(others)) return [...new Set(others.map(typeText))].join(' or ');
  if (type === 'array') return items === undefined ? 'list' : `list of ${typeText(items)}`;
  const types = (Array.isArray(type) ? type : [type]).filter(one => typeof one === 'string');
  return types.length === 0 ? 'any' : types.join(' or ');
}

function objectOf(value: unknown): Schema {
  return typeof value === 'object' && value !== null ? (value as Schema) : {};
}
