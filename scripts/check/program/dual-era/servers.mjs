import { join } from 'node:path';
import { cacheDir } from '../../../lib/project.mjs';

/** Where the SDKs are installed, each in a folder of its own. */
export const folder = join(cacheDir(), 'dual-era');
const own = name => join(import.meta.dirname, 'servers', name);
const TOOLS = { add: 'add', steps: 'steps', wait: 'wait', cancelled: 'was_cancelled', ask: 'ask' };

function python(id, label, packages, args, tools = TOOLS) {
  const command = join(folder, id, 'bin', 'python');
  return { id, label, pip: packages, command, args: [own(args[0]), ...args.slice(1)], tools };
}

function typescript(id, label, packages, script, tools) {
  const args = [own(script), join(folder, id)];
  return { id, label, npm: packages, command: process.execPath, args, tools };
}

function everything(version, args, tools) {
  const id = `everything-${version}`;
  const dist = join(folder, id, 'node_modules/@modelcontextprotocol/server-everything/dist');
  const npm = [`@modelcontextprotocol/server-everything@${version}`];
  return {
    id,
    label: `server-everything ${version}`,
    npm,
    tools,
    command: process.execPath,
    args: [join(dist, 'index.js'), ...args],
  };
}

/**
 * The servers of the table: what to install, how to start each, and its tools: one that adds two numbers, one that tells
 * progress, one that can be cancelled and one that says whether it was, one that asks the user, one that is a task.
 */
export const SERVERS = [
  python('mcp-1.2', 'Python SDK 1.2.0', ['mcp==1.2.0', 'pydantic<2.11'], ['python_sdk.py', 'mcp1'], {
    ...TOOLS,
    ask: undefined,
  }),
  python('mcp-1.30', 'Python SDK 1.30.0', ['mcp==1.30.0'], ['python_sdk.py', 'mcp1']),
  python('mcp-1.30', 'Python SDK 1.30.0, tasks', ['mcp==1.30.0'], ['python_tasks.py'], { task: 'research' }),
  python('mcp-2.3', 'Python SDK 2.3.0', ['mcp==2.3.0'], ['python_sdk.py', 'mcp2']),
  python('fastmcp-4.1', 'fastmcp 4.1.0', ['fastmcp==4.1.0'], ['python_sdk.py', 'fastmcp']),
  typescript(
    'sdk-1',
    'TypeScript SDK 1.32.2',
    ['@modelcontextprotocol/sdk@1.32.2', 'zod@4'],
    'typescript-v1.mjs',
    { ...TOOLS, task: 'research' },
  ),
  typescript(
    'server-2',
    'TypeScript SDK 2.4.0',
    ['@modelcontextprotocol/server@2.4.0', 'zod@4'],
    'typescript-v2.mjs',
    TOOLS,
  ),
  everything('2025.8.18', ['stdio'], {
    add: 'add',
    steps: 'longRunningOperation',
    wait: 'longRunningOperation',
    ask: 'startElicitation',
  }),
  everything('2026.8.31', ['stdio'], {
    add: 'get-sum',
    steps: 'trigger-long-running-operation',
    wait: 'trigger-long-running-operation',
    ask: 'trigger-elicitation-request',
    task: 'simulate-research-query',
  }),
];
