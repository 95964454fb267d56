import { defineCommand } from '../options/command.ts';

export const tools = defineCommand({
  usage: 'tools',
  description: 'show the MCP servers and their tools',
  options: y =>
    y
      .option('mcp', { type: 'string', array: true, requiresArg: true, describe: 'mcp file (repeatable)' })
      .option('login', {
        type: 'string',
        requiresArg: true,
        describe: 'log in to a server that has a url, and store the login',
      }),
  run: async ({ mcp = [], login }, { signals }) => {
    signals.watch();
    const { showTools } = await import('../tools/show-tools.ts');
    return await showTools({ mcp, login }, signals);
  },
});
