import { LlmHostError } from '../../../errors.ts';
import type { ToolHost } from '../../../mcp/tool-host.ts';
import { stripControls } from '../../../text/strip-controls.ts';
import { visible } from '../../../text/visible.ts';
import { type Builtin, print } from '../base/builtin.ts';

export const tools: Builtin = {
  name: 'tools',
  argument: '[ask NAME]',
  help: 'lists the tools the model can call; ask NAME: no longer allow it for good',
  plain: ['tools'],
  run: ({ tools: host }, argument) => {
    if (argument === '') return print(listOf(host));
    const [verb, name = '', ...more] = argument.split(/\s+/);
    if (verb !== 'ask' || name === '' || more.length > 0) {
      throw new LlmHostError('USAGE', `there is no /tools ${argument}`, { hint: '/tools, /tools ask NAME' });
    }
    const known = host.tools().find(({ definition }) => definition.function.name === name)?.tool ?? name;
    const taken = host.approvals?.takeBack(known) === true;
    return print(
      taken ? `'${visible(known)}' is asked about again.` : `'${visible(name)}' was not allowed for good.`,
    );
  },
};

function listOf(host: ToolHost): string {
  const lines = host
    .tools()
    .map(
      ({ definition, server }) =>
        `${definition.function.name} (${server}): ${definition.function.description ?? ''}`,
    );
  return stripControls([lines.join('\n') || 'No tools.', ...allowedLines(host)].join('\n'));
}

/** What runs without a question, and how to change that. */
function allowedLines({ approvals }: ToolHost): string[] {
  const allowed = approvals?.always() ?? [];
  if (allowed.length === 0) return [];
  const named = [...new Set(allowed.map(({ server, tool }) => `${visible(tool)} (${visible(server)})`))];
  return [`Allowed for good, in ${approvals?.file}: ${named.join(', ')}`, '/tools ask NAME takes it back.'];
}
