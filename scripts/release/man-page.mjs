import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { distDir } from '../lib/project.mjs';

const EXIT_STATUS = `0   all went well
1   unexpected: the log says more
2   the command line is wrong
65  the model is broken, or of a kind that is not supported
66  the model was not found, or is not accessible
69  a server, the engine or Ollama is unavailable
71  refused for lack of memory
78  the configuration is missing or wrong`;

const FILES = `config.json, mcp.json         in the working directory, ~/.config/llm-host, or the application's folder
~/.cache/huggingface/hub      models of the Hub
~/.local/state/llm-host       sessions, log, audit log`;

/** The manual page llm-host(1) in roff's man macros, from what --help-all says of the program and of each command. */
export async function manPage({ version, description }) {
  const whole = await helpOf([]);
  const [usage, ...rest] = whole.split('\n');
  // The first is the chat; the program's own options are its options.
  const [, ...commands] = [...whole.matchAll(/^ {2}llm-host (\S+)/gm)].map(([, command]) => command);
  const texts = await Promise.all(commands.map(command => helpOf([command])));
  const sections = [
    ['NAME', `llm\\-host \\- ${roff(description)}`],
    ['SYNOPSIS', asItIs(usage.replace('Usage: ', ''))],
    ['DESCRIPTION', asItIs(rest.join('\n').trim())],
    ['COMMANDS', texts.map((text, index) => `.SS ${commands[index]}\n${asItIs(text.trim())}`).join('\n')],
    ['EXIT STATUS', asItIs(EXIT_STATUS)],
    ['FILES', asItIs(FILES)],
  ];
  const title = `.TH LLM\\-HOST 1 "" "llm\\-host ${roff(version)}" "User Commands"`;
  return [title, ...sections.flatMap(([name, text]) => [`.SH ${name}`, text]), ''].join('\n');
}

async function helpOf(command) {
  const args = [join(distDir, 'cli', 'main.js'), ...command, '--help-all'];
  const env = { ...process.env, LC_ALL: 'C.UTF-8', COLUMNS: '80' };
  return (await promisify(execFile)(process.execPath, args, { env })).stdout;
}

const asItIs = text => `.nf\n${text.split('\n').map(roff).join('\n')}\n.fi`;

/** A line that begins with a dot or a quote would be a request to roff. */
const roff = line =>
  line
    .replace(/[\\-]/g, '\\$&')
    .replaceAll('\\\\', '\\e')
    .replace(/^(?=[.'])/, '\\&');
