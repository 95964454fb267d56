import { defineCommand } from '../options/command.ts';

export const tools = defineCommand({
  usage: 'tools',
  description: "start the servers of mcp.json and print each one's state and tools",
  options: y =>
    y
      .option('mcp', { type: 'string', array: true, requiresArg: true, describe: 'mcp file (repeatable)' })
      .option('login', {
        type: 'string',
        requiresArg: true,
        describe: 'log in to a server with a url and keep the login',
      }),
  run: async ({ mcp = [], login }, { signals }) => {
    signals.watch();
    const { showTools } = await import('../tools/show-tools.ts');
    return await showTools({ mcp, login }, signals);
  },
});
