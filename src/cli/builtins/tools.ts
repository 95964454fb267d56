import { stripControls } from '../../text/strip-controls.ts';
import { type Builtin, print } from './builtin.ts';

export const tools: Builtin = {
  name: 'tools',
  help: 'lists the tools the model can call',
  plain: ['tools'],
  run: session => {
    const lines = session.tools
      .tools()
      .map(({ definition, server }) =>
        stripControls(`${definition.function.name} (${server}): ${definition.function.description ?? ''}`),
      );
    return print(lines.join('\n') || 'No tools.');
  },
};
