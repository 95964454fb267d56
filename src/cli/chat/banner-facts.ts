import type { ServerState } from '../../mcp/tool-host.ts';
import { stripControls } from '../../text/clean/strip-controls.ts';
import type { Banner } from '../../tui/state/banner.ts';
import { homely } from '../process/homely.ts';
import { VERSION } from '../process/version.ts';
import type { ChatSession } from '../session/chat-session.ts';

/** Who has waited for it knows. */
const LOAD_TIME = /, loaded in [\d.]+ s$/;

/** What the screen says of a session when it opens. */
export function bannerOf({ opened, tools }: ChatSession, cwd: string, home: string): Banner {
  const servers = tools.servers();
  const running = servers.filter(({ state }) => state === 'ready' || state === 'starting');
  return {
    title: `llm-host ${VERSION}`,
    facts: [
      { name: 'model', text: stripControls(opened.description).replace(LOAD_TIME, '') },
      { name: 'tools', text: stripControls(serversText(servers)) },
      { name: 'folder', text: stripControls(folderText(running, cwd, home)) },
      { name: 'keys', text: '/ lists commands · Tab completes · Esc cancels' },
    ],
  };
}

/** Each server with its number of tools, or what it is doing; those that are switched off are not named. */
export function serversText(servers: readonly ServerState[]): string {
  const shown = servers.flatMap(({ name, state, tools, installing }) => {
    if (state === 'disabled' || state === 'closed') return [];
    const starting = installing ? 'installing…' : 'starting';
    return [`${name} (${state === 'ready' ? tools : state === 'starting' ? starting : 'failed: see /mcp'})`];
  });
  return shown.join(', ') || 'none';
}

/** The working folder; where the tools see other folders, both. */
export function folderText(
  servers: readonly Pick<ServerState, 'folders'>[],
  cwd: string,
  home: string,
): string {
  const seen = [...new Set(servers.flatMap(({ folders = [] }) => folders))];
  const here = homely(cwd, home);
  if (seen.every(folder => folder === cwd)) return here;
  return `${seen.map(folder => homely(folder, home)).join(', ')} for the tools\n${here} for @path`;
}
