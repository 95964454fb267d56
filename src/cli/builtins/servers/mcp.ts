import { join } from 'node:path';
import { LlmHostError } from '../../../errors.ts';
import type { ServerConfig } from '../../../mcp/config/config.ts';
import { splitWords } from '../../../mcp/resources/input-references.ts';
import type { ServerControl, ServerState, ToolHost } from '../../../mcp/tool-host.ts';
import { stripControls } from '../../../text/clean/strip-controls.ts';
import { prepareMcp } from '../../process/prepare-mcp.ts';
import { titledText } from '../../tools/titled-text.ts';
import { type Builtin, print } from '../base/builtin.ts';

const USAGE =
  '/mcp, /mcp add NAME COMMAND|URL [ARGUMENT...], /mcp remove|enable|disable|restart NAME, /mcp prompts, /mcp resources';

const VERBS = ['prompts', 'resources', 'add', 'remove', 'enable', 'disable', 'restart'];

export const mcp: Builtin = {
  name: 'mcp',
  argument: '[add|remove|restart|...]',
  help: 'lists the servers, or changes them for this session',
  run: async ({ tools }, argument) => {
    const [verb = 'list', name, ...rest] = splitWords(argument);
    if (verb === 'list') return print(serversText(tools));
    if (!VERBS.includes(verb)) throw new LlmHostError('USAGE', `there is no /mcp ${verb}`, { hint: USAGE });
    const { control } = tools;
    if (control === undefined) throw new LlmHostError('USAGE', 'there are no servers to change here');
    if (verb === 'prompts') return print(promptsText(control));
    if (verb === 'resources') return print(resourcesText(control));
    if (name === undefined)
      throw new LlmHostError('USAGE', `/mcp ${verb}: a name is missing`, { hint: USAGE });
    return print(stripControls(await change(control, verb, name, rest)));
  },
};

async function change(
  control: ServerControl,
  verb: string,
  name: string,
  rest: readonly string[],
): Promise<string> {
  switch (verb) {
    case 'add':
      return stateText(await control.add(await entryOfLine(name, rest)));
    case 'remove':
      await control.remove(name);
      return `${name}: removed`;
    case 'enable':
      return stateText(await control.enable(name));
    case 'disable':
      await control.disable(name);
      return `${name}: disabled`;
    default:
      return stateText(await control.restart(name));
  }
}

function serversText(tools: ToolHost): string {
  return tools.servers().map(stateText).map(stripControls).join('\n') || 'No servers.';
}

function stateText({ name, state, tools, error, installing }: ServerState): string {
  const count = state === 'ready' ? `, ${tools} tool${tools === 1 ? '' : 's'}` : '';
  return `${name}: ${installing ? 'installing its package…' : state}${count}${error === undefined ? '' : `\n  ${error.replaceAll('\n', '\n  ')}`}`;
}

/** ` - title: description`, as far as there are. */
function aboutText(name: string, title: string | undefined, description: string | undefined): string {
  const text = titledText(name, title, description);
  return text === '' ? '' : ` - ${text}`;
}

function promptsText(control: ServerControl): string {
  const lines = control.prompts().map(({ server, name, title, description, arguments: args }) => {
    const shape = args.map(argument => ` ${argument.name}=${argument.required ? '...' : '[...]'}`).join('');
    return stripControls(`/${server}:${name}${shape}${aboutText(name, title, description)}`);
  });
  return lines.join('\n') || 'No prompts.';
}

function resourcesText(control: ServerControl): string {
  const lines = control
    .resources()
    .map(({ server, uri, title, description, name }) =>
      stripControls(`@${server}:${uri}${aboutText(uri, title, description ?? (title ? undefined : name))}`),
    );
  return lines.join('\n') || 'No resources.';
}

/**
 * The entry of `/mcp add NAME COMMAND|URL [ARGUMENT...]`, read as if it were in a user's mcp.json in
 * the working directory. Throws LlmHostError USAGE.
 */
async function entryOfLine(name: string, words: readonly string[]): Promise<ServerConfig> {
  const [target, ...args] = words;
  if (target === undefined) {
    throw new LlmHostError('USAGE', `/mcp add ${name}: a command or a url is missing`);
  }
  const url = /^https?:\/\//i.test(target);
  if (url && args.length > 0) {
    throw new LlmHostError('USAGE', `/mcp add ${name}: a url takes no arguments`, {
      hint: 'Headers go into mcp.json.',
    });
  }
  const entry = url ? { url: target } : { command: target, args };
  const cwd = process.cwd();
  const file = {
    path: join(cwd, 'mcp.json'),
    label: '/mcp add',
    text: JSON.stringify({ servers: { [name]: entry } }),
  };
  const { servers, failures } = await prepareMcp([file], { cwd, env: process.env });
  const [config] = servers;
  if (config === undefined)
    throw new LlmHostError('USAGE', failures[0]?.error ?? `/mcp add ${name}: no entry`);
  return config;
}
